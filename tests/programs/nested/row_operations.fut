-- SPDX-License-Identifier: Apache-2.0
-- Several parallel operations inside one map.

-- ==
-- entry: normalise
-- input { [[1f32, 3f32], [2f32, 2f32]] } output { [[0.25f32, 0.75f32], [0.5f32, 0.5f32]] }
entry normalise [n] [m] (a: [n][m]f32) : [n][m]f32 =
  map (\row -> let total = f32.sum row in map (/ total) row) a

-- ==
-- entry: count_and_max
-- input { [[1i32, -3i32, 5i32], [-1i32, -2i32, -3i32]] } output { [2i64, 0i64] [5i32, -1i32] }
entry count_and_max [n] [m] (a: [n][m]i32) : ([n]i64, [n]i32) =
  unzip (map (\row -> (i64.sum (map (\x -> i64.bool (x > 0)) row), i32.maximum row)) a)

-- A temporary array inside the map whose size depends on the element.
-- ==
-- entry: irregular
-- input { [0i64, 1i64, 4i64] } output { [0i64, 0i64, 6i64] }
entry irregular [n] (ns: [n]i64) : [n]i64 = map (\k -> i64.sum (iota k)) ns

-- ==
-- entry: filter_inside
-- input { [[1i32, -3i32, 5i32], [-1i32, -2i32, -3i32]] } output { [6i32, 0i32] }
entry filter_inside [n] [m] (a: [n][m]i32) : [n]i32 = map (\row -> reduce (+) 0 (filter (> 0) row)) a
