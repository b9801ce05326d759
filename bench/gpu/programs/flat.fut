-- SPDX-License-Identifier: Apache-2.0
-- One kernel each, or nearly.

entry twice [n] (xs: [n]f32): [n]f32 = map (* 2) xs
entry sum [n] (xs: [n]f32): f32 = f32.sum xs
entry prefix [n] (xs: [n]i32): [n]i32 = scan (+) 0 xs
entry keep [n] (xs: [n]i32): i64 = length (filter (> 0) xs)
entry compact [n] (xs: [n]i32): []i32 = filter (> 0) xs
entry hist_small [n] (xs: [n]i32): [256]i32 =
  hist (+) 0 256 (map (\x -> i64.i32 (x & 255)) xs) (map (const 1) xs)
entry hist_large [n] (xs: [n]i32): [1048576]i32 =
  hist (+) 0 1048576 (map (\x -> i64.i32 (x & 1048575)) xs) (map (const 1) xs)
entry flipped [n][m] (xss: [n][m]f32): [m][n]f32 = transpose xss
entry row_sums [n][m] (xss: [n][m]f32): [n]f32 = map f32.sum xss
entry column_sums [n][m] (xss: [n][m]f32): [m]f32 = map f32.sum (transpose xss)
entry matmul [n][m][k] (xss: [n][m]f32) (yss: [m][k]f32): [n][k]f32 =
  map (\xs -> map (\ys -> f32.sum (map2 (*) xs ys)) (transpose yss)) xss
