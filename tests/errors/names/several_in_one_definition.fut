-- SPDX-License-Identifier: Apache-2.0
def f (x: i32) : i32 =
  let a = foo x
  let b = x + true
  let c = bar a
  in a + b + c
