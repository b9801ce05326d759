-- SPDX-License-Identifier: Apache-2.0
def f (n: i32) : i64 =
  let k: i64 = n
  in k
