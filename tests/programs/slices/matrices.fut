-- SPDX-License-Identifier: Apache-2.0
-- Slicing several dimensions at once, mixed with single indices.

-- ==
-- entry: block
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32], [7i32, 8i32, 9i32]] } output { [[2i32, 3i32], [5i32, 6i32]] }
entry block [n] [m] (a: [n][m]i32) : [][]i32 = a[0:2, 1:3]

-- ==
-- entry: row_and_column
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] 1i64 } output { [4i32, 5i32, 6i32] [2i32, 5i32] }
entry row_and_column [n] [m] (a: [n][m]i32) (k: i64) : ([m]i32, [n]i32) = (a[k], a[:, k])

-- ==
-- entry: reversed
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[4i32, 3i32], [2i32, 1i32]] [[3i32, 4i32], [1i32, 2i32]] }
entry reversed [n] [m] (a: [n][m]i32) : ([n][m]i32, [n][m]i32) = (a[::-1, ::-1], a[::-1])

-- A slice of a slice.
-- ==
-- entry: twice
-- input { [0i32, 1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32] } output { [3i32, 5i32] }
entry twice [n] (xs: [n]i32) : []i32 = let ys = xs[1::2] in ys[1:3]
