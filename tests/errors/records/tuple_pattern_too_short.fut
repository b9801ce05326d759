-- SPDX-License-Identifier: Apache-2.0
def f (t: (i32, i32, i32)) : i32 =
  let (a, b) = t
  in a + b
