-- SPDX-License-Identifier: Apache-2.0
-- Polymorphic functions at several types, with sizes.
-- ==
-- entry: swaps
-- input { 1 2.5f64 } output { 2.5f64 1 }
-- ==
-- entry: chunks
-- input { [1, 2, 3, 4, 5, 6] } output { [[1, 2, 3], [4, 5, 6]] [3i64, 3i64] }

def swap 'a 'b (x: a, y: b) : (b, a) = (y, x)
entry swaps (x: i32) (y: f64) : (f64, i32) = swap (x, y)

def lengths [n] [m] 'a (xss: [n][m]a) : [n]i64 = map length xss
entry chunks (xs: [6]i32) : ([][]i32, []i64) =
  let xss: [2][3]i32 = unflatten (xs :> [2 * 3]i32)
  in (xss, lengths xss)
