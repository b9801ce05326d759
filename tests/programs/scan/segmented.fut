-- SPDX-License-Identifier: Apache-2.0
-- A scan that starts anew at each flag: the operator works on pairs and is not commutative.

def segmented_sum [n] (flags: [n]bool) (xs: [n]i32) : [n]i32 =
  let join (f1: bool, a: i32) (f2: bool, b: i32) = (f1 || f2, if f2 then b else a + b)
  in map (.1) (scan join (false, 0) (zip flags xs))

-- ==
-- entry: small
-- input { [true, false, true, false, false] [1i32, 2i32, 3i32, 4i32, 5i32] } output { [1i32, 3i32, 3i32, 7i32, 12i32] }
-- input { empty([0]bool) empty([0]i32) } output { empty([0]i32) }
entry small [n] (flags: [n]bool) (xs: [n]i32) : [n]i32 = segmented_sum flags xs

-- Segments of ten ones each: the largest running sum is ten.
-- ==
-- entry: large
-- compiled input { 100003i64 } output { 10i32 3i32 550006i64 }
entry large (n: i64) : (i32, i32, i64) =
  let sums = segmented_sum (map (\i -> i % 10 == 0) (iota n)) (replicate n 1)
  in (i32.maximum sums, last sums, i64.sum (map i64.i32 sums))
