-- SPDX-License-Identifier: Apache-2.0
-- Scattering rows and tuples, and scatter_2d.

-- ==
-- entry: rows
-- input { [1i64, 5i64] [[7i32, 8i32], [9i32, 9i32]] } output { [[0i32, 0i32], [7i32, 8i32], [0i32, 0i32]] }
entry rows [n] (is: [n]i64) (vs: [n][2]i32) : [3][2]i32 = scatter (replicate 3 (replicate 2 0)) is vs

-- ==
-- entry: tuples
-- input { [1i64, 0i64] [7i32, 8i32] } output { [8i32, 7i32] [true, true] }
entry tuples [n] (is: [n]i64) (vs: [n]i32) : ([2]i32, [2]bool) =
  unzip (scatter (replicate 2 (0, false)) is (map (\v -> (v, true)) vs))

-- ==
-- entry: in_two_dimensions
-- input { [0i64, 1i64, 2i64] [1i64, 1i64, 0i64] [5i32, 6i32, 7i32] } output { [[0i32, 5i32], [0i32, 6i32]] }
entry in_two_dimensions [n] (is: [n]i64) (js: [n]i64) (vs: [n]i32) : [2][2]i32 =
  scatter_2d (replicate 2 (replicate 2 0)) (zip is js) vs
