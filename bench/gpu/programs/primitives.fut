-- SPDX-License-Identifier: Apache-2.0
-- What everything else is built from, one entry point for each row of the table.

entry triad [n] (x: [n]f32) (y: [n]f32) : [n]f32 = map2 (\a b -> a + 3 * b) x y
entry saxpy [n] (a: f32) (x: [n]f32) (y: [n]f32) : [n]f32 = map2 (\x y -> a * x + y) x y
entry sum [n] (x: [n]f32) : f32 = f32.sum x
entry sum_u8 [n] (x: [n]u8) : i64 = i64.sum (map i64.u8 x)
entry argmax [n] (x: [n]f32) : (f32, i64) =
  reduce_comm (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j))
              (-f32.inf, i64.highest) (zip x (iota n))
entry scan_f32 [n] (x: [n]f32) : [n]f32 = scan (+) 0 x
entry scan_i32 [n] (x: [n]i32) : [n]i32 = scan (+) 0 x
entry scan_mat2 [n] (a: [n]f32) (b: [n]f32) (c: [n]f32) (d: [n]f32) : ([n]f32, [n]f32, [n]f32, [n]f32) =
  unzip4 (scan (\(a, b, c, d) (e, f, g, h) -> (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h))
               (1, 0, 0, 1) (zip4 a b c d))
entry scan_recurrence [n] (a: [n]f32) (b: [n]f32) : ([n]f32, [n]f32) =
  unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip a b))
entry filter_even [n] (x: [n]i32) : []i32 = filter (\x -> x % 2 == 0) x
entry partition_even [n] (x: [n]i32) : ([]i32, []i32) = partition (\x -> x % 2 == 0) x
entry partition_three [n] (x: [n]i32) : ([]i32, []i32, []i32) = partition2 (< 333) (< 667) x

entry row_sums [n][m] (x: [n][m]f32) : [n]f32 = map f32.sum x
entry column_sums [n][m] (x: [n][m]f32) : [m]f32 = map f32.sum (transpose x)
entry row_scans [n][m] (x: [n][m]f32) : [n][m]f32 = map (scan (+) 0) x
entry segment_sums [n][m] (offsets: [m]i64) (x: [n]f32) : []f32 =
  map (\i -> f32.sum x[offsets[i]:offsets[i + 1]]) (iota (m - 1))
entry transpose_add [n][m] (x: [n][m]f32) : [m][n]f32 = map (map (+ 1)) (transpose x)

entry gather [n][m] (x: [m]f32) (at: [n]i32) : [n]f32 = map (\i -> x[i64.i32 i]) at
entry scatter_all [n] (at: [n]i32) (x: [n]f32) : [n]f32 = scatter (replicate n 0) (map i64.i32 at) x
entry byte_bins [n] (x: [n]u8) : [256]i32 = hist (+) 0 256 (map i64.u8 x) (map (const 1) x)
entry bins [n] (h: i64) (x: [n]u32) : [h]i32 = hist (+) 0 h (map (\x -> i64.u32 (x % u32.i64 h)) x) (map (const 1) x)

entry heat [n][m] (steps: i32) (a: [n][m]f32) : [n][m]f32 =
  loop a = copy a for _i < steps do
    tabulate_2d n m (\i j ->
                       if i == 0 || j == 0 || i == n - 1 || j == m - 1 then a[i, j]
                       else a[i, j] + 0.1 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4 * a[i, j]))
entry heat3 [n][m][k] (steps: i32) (a: [n][m][k]f32) : [n][m][k]f32 =
  loop a = copy a for _i < steps do
    tabulate_3d n m k (\i j l ->
                         if i == 0 || j == 0 || l == 0 || i == n - 1 || j == m - 1 || l == k - 1 then a[i, j, l]
                         else a[i, j, l] + 0.1 * (a[i - 1, j, l] + a[i + 1, j, l] + a[i, j - 1, l] + a[i, j + 1, l]
                                                  + a[i, j, l - 1] + a[i, j, l + 1] - 6 * a[i, j, l]))

def product 't [n][m][k] (sum: [m]t -> t) (times: t -> t -> t) (a: [n][m]t) (b: [m][k]t) : [n][k]t =
  map (\r -> map (\c -> sum (map2 times r c)) (transpose b)) a
entry product_f32 [n][m][k] (a: [n][m]f32) (b: [m][k]f32) : [n][k]f32 = product f32.sum (*) a b
entry product_f64 [n][m][k] (a: [n][m]f64) (b: [m][k]f64) : [n][k]f64 = product f64.sum (*) a b
entry products [b][n] (xs: [b][n][n]f32) (ys: [b][n][n]f32) : [b][n][n]f32 = map2 (product f32.sum (*)) xs ys
