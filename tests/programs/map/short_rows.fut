-- SPDX-License-Identifier: Apache-2.0
-- Rows of a few elements, of a known number, in which something differs from row to row.
-- ==
-- entry: scaled
-- random input { [0][3]f32 [0]f32 } auto output
-- random input { [1][3]f32 [1]f32 } auto output
-- random input { [37][3]f32 [37]f32 } auto output
-- random input { [10000][3]f32 [10000]f32 } auto output
entry scaled [n] (xs: [n][3]f32) (ws: [n]f32) = map2 (\x w -> map (* w) x) xs ws

-- ==
-- entry: single
-- random input { [5000]i16 [5000][1]i64 } auto output
entry single [n] (ws: [n]i16) (xs: [n][1]i64) = map2 (\w x -> map (+ i64.i16 w) x) ws xs

-- ==
-- entry: image
-- random input { [31][17][3]u8 [31]u8 } auto output
-- random input { [100][200][3]u8 [100]u8 } auto output
entry image [h] [w] (pixels: [h][w][3]u8) (lines: [h]u8) =
  map2 (\row line -> map (\pixel -> map (\c -> u8.min (c + line) 200) pixel) row) pixels lines

-- ==
-- entry: outer
-- random input { [1003]f64 [5]f64 } auto output
entry outer [n] (xs: [n]f64) (ys: [5]f64) = map (\x -> map (* x) ys) xs

-- ==
-- entry: numbered
-- input { 2001i64 } auto output
entry numbered (n: i64) =
  tabulate_2d n 8 (\i j -> (i32.i64 (i * 10 + j), i % (j + 1) == 0)) |> map unzip |> unzip

-- ==
-- entry: gathered
-- random input { [999][4]i32 [999]i32 } auto output
entry gathered [n] (xs: [n][4]i32) (is: [n]i32) =
  map2 (\i x -> map (\e -> e - xs[i64.i32 i % n, 3]) x) is xs

-- ==
-- entry: failing
-- input { [[1, 2], [3, 0], [5, 6]] [6, 9, 8] } error: division by zero
-- input { [[1, 2], [3, 4], [5, 6]] [6, 9, 8] } output { [[6, 3], [3, 2], [1, 1]] }
entry failing [n] (xs: [n][2]i32) (ys: [n]i32) = map2 (\x y -> map (\e -> y / e) x) xs ys

-- ==
-- entry: grey
-- random input { [31][17][3]u8 } auto output
entry grey [h] [w] (pixels: [h][w][3]u8) : [h][w]u8 =
  map (map (\c -> u8.f32 (0.3 * f32.u8 c[0] + 0.59 * f32.u8 c[1] + 0.11 * f32.u8 c[2]))) pixels

-- ==
-- entry: channels
-- random input { [13][7][4]i32 [3]i64 } auto output
entry channels [h] [w] (pixels: [h][w][4]i32) (order: [3]i64) =
  map (map (\c -> i32.sum (map (\k -> #[unsafe] c[k & 3]) order))) pixels
