-- SPDX-License-Identifier: Apache-2.0
-- Reductions and scans whose operators work on arrays.

-- ==
-- entry: column_sums
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [5i32, 7i32, 9i32] }
-- input { empty([0][2]i32) } output { [0i32, 0i32] }
-- input { empty([2][0]i32) } output { empty([0]i32) }
-- random input { [1000][7]i32 } auto output
-- random input { [20000][3]i32 } auto output
-- random input { [5000][70]i32 } auto output
-- random input { [3][1000]i32 } auto output
entry column_sums [n] [m] (xss: [n][m]i32) : [m]i32 =
  reduce (map2 (+)) (replicate m 0) xss

-- ==
-- entry: column_scans
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [[1i32, 2i32, 3i32], [5i32, 7i32, 9i32]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }
-- random input { [500][9]i32 } auto output
entry column_scans [n] [m] (xss: [n][m]i32) : [n][m]i32 =
  scan (map2 (+)) (replicate m 0) xss

-- A two-dimensional operator on computed values, with pairs.
-- ==
-- entry: blocks
-- input { [[[1i32, 2i32], [3i32, 4i32]], [[5i32, 6i32], [7i32, 8i32]]] } output { [[12i32, 16i32], [20i32, 24i32]] }
-- random input { [20][3][4]i32 } auto output
entry blocks [n] [m] [k] (xsss: [n][m][k]i32) : [m][k]i32 =
  reduce (map2 (map2 (+))) (replicate m (replicate k 0)) (map (map (map (* 2))) xsss)

-- ==
-- entry: pairs
-- input { [[1i32, 9i32], [4i32, 5i32]] } output { [4i32, 9i32] [1i32, 5i32] }
entry pairs [n] [m] (xss: [n][m]i32) : ([m]i32, [m]i32) =
  let (as, bs) =
    unzip (map (\xs -> (xs, xs)) xss)
  let f a b = map2 i32.max a b
  let g a b = map2 i32.min a b
  in (reduce f (replicate m i32.lowest) as, reduce g (replicate m i32.highest) bs)

-- Inside a map.
-- ==
-- entry: batched
-- input { [[[1i32, 2i32], [3i32, 4i32]], [[5i32, 6i32], [7i32, 8i32]]] } output { [[4i32, 6i32], [12i32, 14i32]] }
-- random input { [10][20][30]i32 } auto output
entry batched [n] [m] [k] (xsss: [n][m][k]i32) : [n][k]i32 =
  map (reduce (map2 (+)) (replicate k 0)) xsss

-- The neutral element is not a replicated one: computed row by row.
-- ==
-- entry: odd_neutral
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [4i32, 6i32] }
entry odd_neutral [n] [m] (xss: [n][m]i32) : [m]i32 =
  reduce (map2 (+)) (map (\i -> i32.i64 (i - i)) (iota m)) xss
