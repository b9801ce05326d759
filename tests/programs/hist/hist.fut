-- SPDX-License-Identifier: Apache-2.0
-- hist makes its own destination.

-- ==
-- entry: counts
-- input { [1i64, 3i64, 1i64, 7i64] } output { [0i32, 2i32, 0i32, 1i32] }
-- input { empty([0]i64) } output { [0i32, 0i32, 0i32, 0i32] }
entry counts [n] (is: [n]i64) : [4]i32 = hist (+) 0 4 is (replicate n 1)

-- ==
-- entry: large
-- compiled input { 100000i64 7i64 } output { [14286i64, 14286i64, 14286i64, 14286i64, 14286i64, 14285i64, 14285i64] }
entry large (n: i64) (k: i64) : [k]i64 = hist (+) 0 k (map (% k) (iota n)) (replicate n 1)

-- More bins than elements.
-- ==
-- entry: sparse
-- compiled input { 1000000i64 } output { 3i64 2i64 }
entry sparse (k: i64) : (i64, i64) =
  let bins = hist (+) 0 k [5, 999999, 5] [1, 1, 1]
  in (i64.sum bins, i64.maximum bins)
