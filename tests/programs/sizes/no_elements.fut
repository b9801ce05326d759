-- SPDX-License-Identifier: Apache-2.0
-- Arrays without elements, of every rank and on every side, through every kind of kernel.
-- ==
-- entry: vectors
-- input { 0i64 } auto output
-- input { 1i64 } auto output
-- compiled input { 70000i64 } auto output

-- ==
-- entry: matrices cubes segments products histograms rows
-- input { 0i64 0i64 } auto output
-- input { 0i64 3i64 } auto output
-- input { 3i64 0i64 } auto output
-- input { 1i64 0i64 } auto output
-- compiled input { 0i64 100000i64 } auto output
-- compiled input { 100000i64 0i64 } auto output
-- input { 2i64 3i64 } auto output

entry vectors (n: i64) =
  let xs = map (\i -> i32.i64 (i * 7 % 11)) (iota n)
  let (evens, odds) = partition (\x -> x % 2 == 0) xs
  let (a, b, c) = partition2 (< 3) (> 7) xs
  in ( map (+ 1) xs, i32.sum xs, i32.maximum xs, scan (+) 0 xs, filter (> 5) xs, evens, odds, a, b, c
     , scatter (replicate n 0) (iota n) xs, scatter (replicate 0 0i32) (iota n) xs
     , reduce_by_index (replicate 0 0) (+) 0 (map i64.i32 xs) xs
     , reduce_by_index (replicate n 0) (+) 0 (map i64.i32 xs) xs
     , reverse xs, rotate 3 xs, xs ++ xs, scan (\(p, q) (r, s) -> (p * r, q * r + s)) (1, 0) (zip xs xs)
     , reduce (\(p, q) (r, s) -> (p * r, q * r + s)) (1, 0) (zip xs xs)
     , all (> 0) xs, any (> 0) xs)

def grid (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 13 + j * 7) % 11))

entry matrices (n: i64) (m: i64) =
  let xs = grid n m
  in ( map (map (* 2)) xs, transpose xs, map i32.sum xs, map i32.sum (transpose xs), map (scan (+) 0) xs
     , map (scan (+) 0) (transpose xs), flatten xs, reverse xs, map reverse xs, rotate 1 xs, xs ++ xs
     , scan (map2 (+)) (replicate m 0) xs, reduce (map2 (+)) (replicate m 0) xs
     , filter (\r -> i32.sum r > 5) xs, i32.sum (map i32.product xs)
     , map (\r -> length (filter (> 3) r)) xs)

entry cubes (n: i64) (m: i64) =
  let at k = tabulate_3d n k m (\i j l -> i32.i64 (i + 2 * j + 3 * l))
  let (x, y, z) = (at 0, at 1, at 4)
  in ( map transpose x, transpose x, map (map i32.sum) x, map (map i32.sum) y
     , map transpose z, transpose z, map (map (scan (+) 0)) z, map (\p -> map i32.sum (transpose p)) z
     , i32.sum (flatten_3d z), map (reduce (map2 (+)) (replicate m 0)) x)

entry segments (n: i64) (m: i64) =
  let lengths = map (\i -> (i * 5) % (m + 1) % 4) (iota n)
  in ( map (\k -> i64.sum (iota k)) lengths
     , map (\k -> loop s = 0 for i < k do s + i * k) lengths
     , map (\k -> i64.sum (scan (+) 1 (iota k))) lengths
     , map (\k -> length (filter (> 1) (iota k))) lengths)

entry products (n: i64) (m: i64) =
  let times [a] [b] [c] (p: [a][b]f32) (q: [b][c]f32) : [a][c]f32 =
    map (\r -> map (\s -> f32.sum (map2 (*) r s)) (transpose q)) p
  let p = map (map f32.i32) (grid n m)
  let q = map (map f32.i32) (grid (i64.min m 20) n)
  let few = i64.min n 20
  in ( times (take few p) (transpose (take few p)), times (replicate 9 (replicate 0 1)) (replicate 0 (replicate 17 1f32))
     , times (replicate few (replicate 0 1)) (replicate 0 (replicate few 1f32))
     , times (transpose (map (take few) q)) q
     , map (\r -> f32.sum (map2 (*) r (replicate m 2))) p)

entry histograms (n: i64) (m: i64) =
  let xs = grid n m
  in ( map (\r -> reduce_by_index (replicate 5 0) (+) 0 (map i64.i32 r) r) xs
     , map (\r -> reduce_by_index (replicate 0 0) (+) 0 (map i64.i32 r) r) xs
     , reduce_by_index (replicate 3 (replicate m 0)) (map2 (+)) (replicate m 0) (iota n) xs
     , reduce_by_index (replicate 0 (replicate m 0)) (map2 (+)) (replicate m 0) (iota n) xs
     , hist (+) 0 m (map (% (i64.max 1 m)) (iota n)) (iota n)
     , hist i64.max i64.lowest 0 (iota n) (iota n))

entry rows (n: i64) (m: i64) =
  let xs = grid n m
  in ( scatter (copy xs) (map (\i -> n - 1 - i) (iota n)) xs
     , scatter (replicate 2 (replicate m 0)) (iota n) xs
     , scatter_2d (copy xs) (map (\i -> (i, i)) (iota n)) (map i32.i64 (iota n))
     , map (\r -> scatter (replicate m 1) (map i64.i32 r) r) xs
     , copy xs with [0:0] = replicate 0 (replicate m 1)
     , map (\r -> copy r with [0:0] = []) xs, xs[0:0], xs[:, 0:0], xs[n:, m:])
