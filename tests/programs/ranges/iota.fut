-- SPDX-License-Identifier: Apache-2.0
-- iota, indices, replicate, tabulate.

-- ==
-- entry: counted
-- input { 4i64 } output { [0i64, 1i64, 2i64, 3i64] [7i32, 7i32, 7i32, 7i32] [0i64, 1i64, 4i64, 9i64] }
-- input { 0i64 } output { empty([0]i64) empty([0]i32) empty([0]i64) }
entry counted (n: i64) : ([n]i64, [n]i32, [n]i64) = (iota n, replicate n 7, tabulate n (\i -> i * i))

-- ==
-- entry: positions
-- input { [5i32, 6i32, 7i32] } output { [0i64, 1i64, 2i64] }
entry positions [n] (xs: [n]i32) : [n]i64 = indices xs

-- ==
-- entry: grid
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [10i64, 11i64, 12i64]] }
entry grid (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (\i j -> i * 10 + j)

-- ==
-- entry: replicated_rows
-- input { 2i64 [1i32, 2i32, 3i32] } output { [[1i32, 2i32, 3i32], [1i32, 2i32, 3i32]] }
-- input { 0i64 [1i32, 2i32, 3i32] } output { empty([0][3]i32) }
entry replicated_rows [m] (n: i64) (row: [m]i32) : [n][m]i32 = replicate n row
