-- SPDX-License-Identifier: Apache-2.0
-- For a function f at x and any u, v: ⟨v, J u⟩ = ⟨Jᵀ v, u⟩, and J u is near a central difference.  One entry point for each rule.
-- ==
-- entry: maps free_scalar free_array nested rows reduce_add reduce_mul reduce_min reduce_pair reduce_free scan_add scan_mul scan_linear scan_free
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- ==
-- entry: hist_add hist_mul hist_max hist_free scatters filters partitions flatmaps streams
-- input { 1i64 } output { true }
-- input { 9i64 } output { true }
-- ==
-- entry: loops while_loop loop_arrays loop_free loop_in_map branches branch_arrays updates slices concats views literals replicates matrix_product vector_reduce vector_scan
-- input { 1i64 } output { true }
-- input { 6i64 } output { true }
-- ==
-- entry: maps nested reduce_add reduce_mul scan_add scan_mul hist_add scatters filters loops updates
-- input { 0i64 } output { true }

def dot [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)
def pseudo (n: i64) (seed: i64) : [n]f64 =
  map (\i -> f64.i64 ((i * 7919 + seed * 104729 + 31) % 1009) / 1009 + 0.25) (iota n)

def near (a: f64) (b: f64) : bool = f64.abs (a - b) <= 1e-5 * (1 + f64.abs a + f64.abs b)

def check [n] [m] (f: [n]f64 -> [m]f64) : bool =
  let x = pseudo n 1
  let u = pseudo n 2
  let v = pseudo m 3
  let (y, forward) = jvp2 f x u
  let (y2, reverse) = vjp2 f x v
  let h = 1e-6
  let step s = f (map2 (\x u -> x + s * u) x u)
  let slope = map2 (\a b -> (a - b) / (2 * h)) (step h) (step (-h))
  in and (map2 near y y2) && and (map2 near y (f x)) && near (dot v forward) (dot reverse u) && and (map2 near forward slope)

entry maps (n: i64) = check (\(x: [n]f64) -> map (\x -> x * x + f64.sin x) x)
entry free_scalar (n: i64) = check (\(x: [n]f64) -> let s = f64.sum x in map (\y -> y * s * s) x)
entry free_array (n: i64) = check (\(x: [n]f64) -> map (\i -> x[i] * x[n - 1 - i] * x[0]) (iota n))
entry nested (n: i64) =
  check (\(x: [n]f64) -> map (\a -> f64.sum (map2 (\b i -> f64.exp (a - b) * x[i] * a) x (iota n))) x)
entry rows (n: i64) =
  check (\(x: [n]f64) ->
           let table = map (\a -> map (\b -> a * b + a) x) x
           in map (\row -> f64.product (map (+ 0.5) row) * row[0]) table)
entry reduce_add (n: i64) = check (\(x: [n]f64) -> [f64.sum x, f64.sum (map f64.sin x)])
entry reduce_mul (n: i64) = check (\(x: [n]f64) -> [f64.product x, f64.product (map (\y -> y - 0.5) x)])
entry reduce_min (n: i64) = check (\(x: [n]f64) -> [f64.minimum x * 2, f64.maximum (map f64.sin x)])
entry reduce_pair (n: i64) =
  check (\(x: [n]f64) ->
           let (a, b) = reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip x (map (* 2) x))
           in [a, b])
entry reduce_free (n: i64) =
  check (\(x: [n]f64) ->
           let c = f64.sum x
           in [reduce (\a b -> a + b + c * a * b) 0 x])
entry scan_add (n: i64) = check (\(x: [n]f64) -> scan (+) 0 (map (\y -> y * y) x))
entry scan_mul (n: i64) = check (\(x: [n]f64) -> scan (*) 1 x)
entry scan_linear (n: i64) =
  check (\(x: [n]f64) ->
           scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip x (map f64.cos x)) |> map (\(a, b) -> a - b))
entry scan_free (n: i64) =
  check (\(x: [n]f64) ->
           let c = f64.maximum x
           in scan (\a b -> a + b + c * a * b) 0 x)

def bins (n: i64) : [n]i64 = map (\i -> i * 5 % 7 - 1) (iota n)
entry hist_add (n: i64) =
  check (\(x: [n]f64) -> reduce_by_index (replicate 4 (f64.sum x)) (+) 0 (bins n) (map (\y -> y * y) x))
entry hist_mul (n: i64) =
  check (\(x: [n]f64) -> reduce_by_index (replicate 4 (f64.sum x)) (*) 1 (bins n) x)
entry hist_max (n: i64) =
  check (\(x: [n]f64) -> hist f64.max (-1000) 4 (bins n) (map (\y -> y * y) x))
entry hist_free (n: i64) =
  check (\(x: [n]f64) ->
           let c = f64.sum x
           in hist (\a b -> a + b + c * a * b) 0 4 (bins n) x)
entry scatters (n: i64) =
  check (\(x: [n]f64) -> scatter (map (* 3) x) (map (\i -> i * 2 - 1) (iota n)) (map (\y -> y * y) x))
entry filters (n: i64) =
  check (\(x: [n]f64) ->
           let ys = filter (> 0.6) (map (\y -> y * y) x)
           in [f64.sum (map f64.sin ys), f64.i64 (length ys)])
entry partitions (n: i64) =
  check (\(x: [n]f64) ->
           let (a, b) = partition (\(y, _) -> y > 0.6) (zip x (map f64.exp x))
           in [f64.sum (map (\(p, q) -> p * q) a), f64.product (map (.1) b)])
entry flatmaps (n: i64) =
  check (\(x: [n]f64) ->
           let c = x[0]
           let (_, _, _, a, b) =
             flatmap (\i -> (map (\j -> x[i] * f64.i64 j * c) (iota (i + 1)), x[i] * x[i])) (iota n)
           in [f64.sum (map f64.sin a), f64.sum b])
entry streams (n: i64) =
  check (\(x: [n]f64) ->
           hist_of (map (* 2) x) x)

def hist_of [n] (dest: [n]f64) (x: [n]f64) : [n]f64 =
  reduce_by_index (copy dest) (+) 0 (map (\i -> (i * i) % (n + 1)) (iota n)) (map (\y -> y * y * x[0]) x)

entry loops (n: i64) =
  check (\(x: [n]f64) ->
           let (a, b) = loop (a, b) = (1, 0.5) for y in x do (a * y + b, f64.sin (a * b) + y)
           in [a, b])
entry while_loop (n: i64) =
  check (\(x: [n]f64) ->
           let (a, _) = loop (a, i) = (x[0], 0) while i < n do (a * x[i] + f64.cos a, i + 1)
           in [a])
entry loop_arrays (n: i64) =
  check (\(x: [n]f64) ->
           loop y = x for i < 3 do map2 (\a b -> a * b + f64.i64 i * x[0]) y (rotate 1 y))
entry loop_free (n: i64) =
  check (\(x: [n]f64) ->
           loop y = copy x for i < n do
             y with [i] = y[i] * y[(i * 2) % n] + x[n - 1 - i])
entry loop_in_map (n: i64) =
  check (\(x: [n]f64) ->
           map (\a -> loop s = a for j < n do s * x[j] + f64.sin s) x)
entry branches (n: i64) =
  check (\(x: [n]f64) ->
           map (\a -> if a > 0.8 then a * x[0] else if a > 0.5 then f64.exp a else x[n - 1]) x)
entry branch_arrays (n: i64) =
  check (\(x: [n]f64) ->
           let y = if x[0] > 0.1 then map (* x[0]) x else x
           let z = if x[0] > 9 then map (* x[0]) x else y
           in map2 (*) y z)
entry updates (n: i64) =
  check (\(x: [n]f64) ->
           let y = if n > 2 then map (\a -> a * a) x with [1] = f64.sum x else copy x
           let z = if n > 2 then copy y with [0:2] = [y[1] * 2, y[2]] else y
           in map2 (*) y z)
entry slices (n: i64) =
  check (\(x: [n]f64) ->
           let y = x[::-1]
           let a = x[:n / 2]
           in map2 (*) x y ++ a)
entry concats (n: i64) =
  check (\(x: [n]f64) -> map (\a -> a * a) x ++ map f64.sin x ++ [x[0]])
entry views (n: i64) =
  check (\(x: [n]f64) ->
           let t = map (\a -> [a, a * a]) x
           in flatten (transpose t) |> map f64.exp)
entry literals (n: i64) = check (\(x: [n]f64) -> [x[0] * x[0], x[n - 1], 3])
entry replicates (n: i64) =
  check (\(x: [n]f64) -> flatten (replicate 3 (map (* 2) x)) |> map (\a -> a * a))
entry matrix_product (n: i64) =
  check (\(x: [n]f64) ->
           let a = map (\i -> map (\j -> x[i] + x[j] * f64.i64 i) (iota n)) (iota n)
           let b = map (\row -> map (\col -> f64.sum (map2 (*) row col)) (transpose a)) a
           in flatten b)
entry vector_reduce (n: i64) =
  check (\(x: [n]f64) ->
           let rows = map (\a -> [a, a * a, 1]) x
           in reduce (map2 (*)) (replicate 3 1) rows ++ reduce (map2 f64.min) (replicate 3 9) rows
              ++ reduce (map2 (+)) (replicate 3 0) rows)
entry vector_scan (n: i64) =
  check (\(x: [n]f64) ->
           let rows = map (\a -> [a, a * a]) x
           in flatten (scan (map2 (*)) (replicate 2 1) rows) ++ flatten (scan (map2 (+)) (replicate 2 0) rows))
