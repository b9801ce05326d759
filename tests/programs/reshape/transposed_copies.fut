-- SPDX-License-Identifier: Apache-2.0
-- Transposed arrays as results are copies.
-- ==
-- entry: flat
-- random input { [70][45]i32 } auto output
-- random input { [1][33]i32 } auto output
-- random input { [0][3]i32 } auto output
entry flat [n][m] (xss: [n][m]i32): [m][n]i32 = transpose xss

-- ==
-- entry: deep
-- random input { [3][40][50]i8 } auto output
entry deep [k][n][m] (xsss: [k][n][m]i8): ([k][m][n]i8, [m][k][n]i8) =
  (map transpose xsss, transpose (map transpose xsss) )
