-- SPDX-License-Identifier: Apache-2.0
-- rotate r moves element r to the front; any r is allowed.

-- ==
-- input { 1i64 [1i32, 2i32, 3i32] } output { [2i32, 3i32, 1i32] }
-- input { -1i64 [1i32, 2i32, 3i32] } output { [3i32, 1i32, 2i32] }
-- input { 0i64 [1i32, 2i32, 3i32] } output { [1i32, 2i32, 3i32] }
-- input { 7i64 [1i32, 2i32, 3i32] } output { [2i32, 3i32, 1i32] }
-- input { -7i64 [1i32, 2i32, 3i32] } output { [3i32, 1i32, 2i32] }
entry main [n] (r: i64) (xs: [n]i32) : [n]i32 = rotate r xs

-- ==
-- entry: inner
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [[2i32, 3i32, 1i32], [5i32, 6i32, 4i32]] [[4i32, 5i32, 6i32], [1i32, 2i32, 3i32]] }
entry inner [n] [m] (a: [n][m]i32) : ([n][m]i32, [n][m]i32) = (map (rotate 1) a, rotate 1 a)
