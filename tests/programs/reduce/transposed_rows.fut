-- SPDX-License-Identifier: Apache-2.0
-- Rows that are too short for lanes of their own: neighbouring ones are the lanes, and what they
-- read is transposed before.

-- ==
-- entry: sums
-- random input { [0][10]f32 } auto output
-- random input { [5][10]f32 } auto output
-- random input { [16][4]f32 } auto output
-- random input { [1000][10]f32 } auto output
-- random input { [77][3]f32 } auto output
-- random input { [333][1]f32 } auto output
-- random input { [100][16]f32 } auto output
-- random input { [101][17]f32 } auto output
-- random input { [99][63]f32 } auto output
-- random input { [50][64]f32 } auto output
entry sums [n] [m] (xs: [n][m]f32) : [n]f32 = map f32.sum xs

-- ==
-- entry: smallest
-- random input { [1000][10]i8 } auto output
-- random input { [1000][20]i8 } auto output
entry smallest [n] [m] (xs: [n][m]i8) : [n]i8 = map i8.minimum xs

-- Parts of longer rows, and a vector that all rows share.
-- ==
-- entry: products
-- random input { [1000][23]f32 [9]f32 } auto output
entry products [n] (xs: [n][23]f32) (ys: [9]f32) : [n]f32 =
  map (\row -> f32.sum (map2 (*) (row[5:14] :> [9]f32) ys)) xs

-- Two arrays, an order that matters, and two results.
-- ==
-- entry: maps
-- random input { [1000][12]i32 [1000][12]i32 } auto output
entry maps [n] [m] (xs: [n][m]i32) (ys: [n][m]i32) : ([n]i32, [n]i32) =
  unzip (map2 (\x y -> reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip x y)) xs ys)

-- ==
-- entry: doubles
-- random input { [1000][10]f64 } auto output
entry doubles [n] [m] (xs: [n][m]f64) : [n]f64 = map f64.sum xs
