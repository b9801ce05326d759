-- SPDX-License-Identifier: Apache-2.0
-- Filtering arrays of tuples and of rows.

-- ==
-- entry: tuples
-- input { [1i32, 2i32, 3i32] [true, false, true] } output { [1i32, 3i32] }
entry tuples [n] (xs: [n]i32) (keep: [n]bool) : []i32 = map (.0) (filter (.1) (zip xs keep))

-- ==
-- entry: rows
-- input { [[1i32, 2i32], [0i32, 9i32], [3i32, 4i32]] } output { [[1i32, 2i32], [3i32, 4i32]] }
-- input { [[0i32, 2i32]] } output { empty([0][2]i32) }
entry rows [n] [m] (a: [n][m]i32) : [][m]i32 = filter (\row -> row[0] != 0) a
