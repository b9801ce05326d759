-- SPDX-License-Identifier: Apache-2.0
-- Transposed arrays that are written out, at sizes that are no multiples of a cache line.
-- ==
-- entry: plane
-- random input { [0][5]i32 } auto output
-- random input { [1][1]i32 } auto output
-- random input { [37][41]i32 } auto output
-- random input { [130][257]i32 } auto output
entry plane [n] [m] (xs: [n][m]i32) : [m][n]i32 = transpose xs

-- ==
-- entry: bytes
-- random input { [70][133]u8 } auto output
entry bytes [n] [m] (xs: [n][m]u8) : [m][n]u8 = transpose xs

-- ==
-- entry: planes
-- random input { [3][20][35]f64 } auto output
entry planes [k] [n] [m] (xs: [k][n][m]f64) : [k][m][n]f64 = map transpose xs

-- The first dimension comes last.
-- ==
-- entry: turned
-- random input { [9][20][13]i16 } auto output
entry turned [k] [n] [m] (xs: [k][n][m]i16) : [n][m][k]i16 = map transpose (transpose xs)

-- A part of a larger array, and into a part of one.
-- ==
-- entry: parts
-- random input { [40][50]i32 } auto output
entry parts [n] [m] (xs: [n][m]i32) : [][]i32 =
  let ys = transpose xs[3:, 7:m - 2]
  in concat ys (copy ys)
