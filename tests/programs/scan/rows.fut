-- SPDX-License-Identifier: Apache-2.0
-- Scans of every row, and scans whose elements are rows.

-- ==
-- entry: each_row
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [[1i32, 3i32, 6i32], [4i32, 9i32, 15i32]] }
-- input { empty([0][3]i32) } output { empty([0][3]i32) }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }
entry each_row [n] [m] (a: [n][m]i32) : [n][m]i32 = map (scan (+) 0) a

-- ==
-- entry: of_rows
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] } output { [[1i32, 2i32], [4i32, 6i32], [9i32, 12i32]] }
entry of_rows [n] [m] (a: [n][m]i32) : [n][m]i32 = scan (map2 (+)) (replicate m 0) a
