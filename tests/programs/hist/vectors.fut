-- SPDX-License-Identifier: Apache-2.0
-- Bins that are rows, combined element by element, and a histogram with two indices.

-- ==
-- entry: rows
-- input { [0i64, 1i64, 0i64] [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] } output { [[6i32, 8i32], [3i32, 4i32]] }
entry rows [n] [m] (is: [n]i64) (vs: [n][m]i32) : [2][m]i32 =
  reduce_by_index (replicate 2 (replicate m 0)) (map2 (+)) (replicate m 0) is vs

-- ==
-- entry: in_two_dimensions
-- input { [0i64, 1i64, 0i64, 2i64] [1i64, 0i64, 1i64, 0i64] } output { [[0i32, 2i32], [1i32, 0i32]] }
entry in_two_dimensions [n] (is: [n]i64) (js: [n]i64) : [2][2]i32 =
  reduce_by_index_2d (replicate 2 (replicate 2 0)) (+) 0 (zip is js) (replicate n 1)
