-- SPDX-License-Identifier: Apache-2.0
-- flatten and unflatten keep the elements in order.

-- ==
-- entry: flat
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] }
-- input { empty([0][3]i32) } output { empty([0]i32) }
entry flat [n] [m] (a: [n][m]i32) : []i32 = flatten a

-- ==
-- entry: unflat
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [3i64, 4i64, 5i64]] }
-- input { 0i64 3i64 } output { empty([0][3]i64) }
entry unflat (n: i64) (m: i64) : [n][m]i64 = unflatten (iota (n * m))

-- ==
-- entry: of_transpose
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [1i32, 4i32, 2i32, 5i32, 3i32, 6i32] }
entry of_transpose [n] [m] (a: [n][m]i32) : []i32 = flatten (transpose a)

-- ==
-- entry: deeper
-- input { [[[1i32], [2i32]], [[3i32], [4i32]]] } output { [1i32, 2i32, 3i32, 4i32] }
entry deeper [a] [b] [c] (x: [a][b][c]i32) : []i32 = flatten_3d x
