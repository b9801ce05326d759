-- SPDX-License-Identifier: Apache-2.0
-- The programs of the table that bench/middle.py prints: what the middle end makes of them.
entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map (\x -> x * 2) (map2 (*) xs ys))

entry norm2 [n] (xs: [n]f64) : ([n]f64, [n]f64) =
  let a = f64.sum xs
  let b = f64.sum (filter (> 0) xs)
  in (map (/ a) xs, map (/ b) xs)

entry kmeans_step [n] (k: i64) (member: [n]i64) (xs: [n]f32) (ys: [n]f32) : ([k]i32, [k]f32, [k]f32) =
  (hist (+) 0 k member (map (const 1) xs), hist (+) 0 k member xs, hist (+) 0 k member ys)

entry filter_sum [n] (xs: [n]i32) : i32 = i32.sum (filter (> 0) xs)

entry filter_filter_sum [n] (xs: [n]i32) : i32 =
  i32.sum (filter (\x -> x % 3 == 0) (filter (> 0) xs))

entry dense_mv [n] [m] (a: [n][m]f32) (v: [m]f32) : [n]f32 =
  map (\row -> f32.sum (map2 (*) row v)) a

entry heat [n] [m] (a: [n][m]f64) : ([n][m]f64, f64) =
  let at i j = if i < 0 || i >= n || j < 0 || j >= m then 0 else a[i, j]
  let b = tabulate_2d n m (\i j -> 0.25 * (at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)))
  in (b, f64.sum (map2 (\r s -> f64.sum (map2 (\x y -> f64.abs (x - y)) r s)) a b))

entry heat_flat [n] [m] (a: [n][m]f64) : ([n][m]f64, f64) =
  let at i j = if i < 0 || i >= n || j < 0 || j >= m then 0 else a[i, j]
  let b = tabulate_2d n m (\i j -> 0.25 * (at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)))
  in (b, f64.sum (flatten (map2 (map2 (\x y -> f64.abs (x - y))) a b)))

entry nbody [n] (xs: [n]f32) (ms: [n]f32) : [n]f32 =
  map (\x -> f32.sum (map2 (\y m -> m / (1 + (x - y) * (x - y))) xs ms)) xs

entry row_sums [n] [m] (a: [n][m]f32) : [n]f32 = map f32.sum a

entry column_sums [n] [m] (a: [n][m]f32) : [m]f32 = map f32.sum (transpose a)

-- 1000 steps on a torus: nothing is allocated inside the loop.
entry life [n] [m] (world: [n][m]bool) : [n][m]bool =
  let at (w: [n][m]bool) i j = i32.bool w[i % n, j % m]
  let step (w: [n][m]bool) =
    tabulate_2d n m (\i j ->
      let k = at w (i - 1) (j - 1) + at w (i - 1) j + at w (i - 1) (j + 1) + at w i (j - 1)
              + at w i (j + 1) + at w (i + 1) (j - 1) + at w (i + 1) j + at w (i + 1) (j + 1)
      in k == 3 || (k == 2 && w[i, j]))
  in loop w = world for _i < 1000i32 do step w

entry heat_steps [n] [m] (a: [n][m]f64) : [n][m]f64 =
  (loop (a, change) = (a, 1f64) while change > 0.001 do
     let at i j = if i < 0 || i >= n || j < 0 || j >= m then 0 else a[i, j]
     let b = tabulate_2d n m (\i j -> 0.25 * (at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)))
     in (b, f64.maximum (flatten (map2 (map2 (\x y -> f64.abs (x - y))) a b)))).0

-- Compressed sparse rows: row i is vals[offs[i]] … vals[offs[i + 1] - 1], in columns cols[…].
entry sparse_mv [a] [m] [nnz] (n: i64) (offs: [a]i64) (cols: [nnz]i64) (vals: [nnz]f32) (x: [m]f32) : [n]f32 =
  map (\i -> f32.sum (map (\j -> #[unsafe] vals[j] * x[cols[j]]) (#[unsafe] offs[i]..<offs[i + 1]))) (iota n)

entry sums_axis_0 [a] [b] [c] [d] (xs: [a][b][c][d]f32) : [b][c][d]f32 =
  map (map (map f32.sum)) (map (map transpose) (map transpose (transpose xs)))

entry sums_axis_1 [a] [b] [c] [d] (xs: [a][b][c][d]f32) : [a][c][d]f32 =
  map (map (map f32.sum)) (map (map transpose) (map transpose xs))

entry sums_axis_2 [a] [b] [c] [d] (xs: [a][b][c][d]f32) : [a][b][d]f32 =
  map (map (map f32.sum)) (map (map transpose) xs)

entry sums_axis_3 [a] [b] [c] [d] (xs: [a][b][c][d]f32) : [a][b][c]f32 = map (map (map f32.sum)) xs

entry hist_beside_map [n] (k: i64) (is: [n]i64) (xs: [n]f32) : ([k]f32, [n]f32) =
  (hist (+) 0 k is xs, map (* 2) xs)

entry filter_beside_sum [n] (xs: [n]i32) : ([]i32, i32) = (filter (> 0) xs, i32.sum xs)

entry sums_of_filtered [n] (xs: [n]i32) : []i32 = scan (+) 0 (filter (> 0) xs)

entry filter_by_hand [n] (xs: [n]i32) : [n]i32 =
  let flags = map (\x -> i64.bool (x > 0)) xs
  let places = map2 (\f p -> if f == 1 then p - 1 else -1) flags (scan (+) 0 flags)
  in scatter (replicate n 0) places xs

entry stencil_of_map [n] (xs: [n]f32) : []f32 =
  let ys = map (\x -> x * x + 1) xs
  in map3 (\a b c -> a + b + c) (ys[0:n - 2] :> [n - 2]f32) (ys[1:n - 1] :> [n - 2]f32) (ys[2:n] :> [n - 2]f32)
