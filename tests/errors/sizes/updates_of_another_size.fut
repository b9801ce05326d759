-- SPDX-License-Identifier: Apache-2.0
-- The part that is changed, and the value.
def f [n] (xs: *[n][4]i32) (ys: [3]i32) (r: {a: [n]i32, b: i32}) =
  let xs[0] = ys
  let s = (r : {a: [3]i32, b: i32}) with b = 4
  in (xs with [1] = [1, 2], s.b)
