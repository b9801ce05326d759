-- SPDX-License-Identifier: Apache-2.0
def f (b: bool) (n: i32) : f32 =
  let y = (if b
           then n
           else n + 1)
  in y
