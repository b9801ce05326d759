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

-- ==
-- entry: transformed
-- random input { [4][4]f64 [777][4]f64 } auto output
-- random input { [4][4]f64 [0][4]f64 } auto output
entry transformed [n] (m: [4][4]f64) (vs: [n][4]f64) = map (\v -> map (\r -> f64.sum (map2 (*) r v)) m) vs

-- ==
-- entry: largest
-- random input { [101][3][2]i32 [101]i32 } auto output
entry largest [n] (xs: [n][3][2]i32) (ys: [n]i32) =
  map2 (\x y -> map (\r -> i32.maximum (map (+ y) r)) x) xs ys

-- ==
-- entry: nearest
-- random input { [501][5]f32 [501]f32 } auto output
entry nearest [n] (xs: [n][5]f32) (ys: [n]f32) =
  map2 (\x y ->
          map (\e -> f32.abs (e - y)) x
          |> zip (iota 5)
          |> reduce_comm (\(i, a) (j, b) -> if b < a || (b == a && j < i) then (j, b) else (i, a)) (-1, f32.inf))
       xs ys
  |> unzip

-- ==
-- entry: one_after_the_other
-- random input { [300][3][2]i32 } auto output
entry one_after_the_other [n] (xs: [n][3][2]i32) =
  map (\x -> reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\r -> (r[0], r[1])) x)) xs |> unzip
