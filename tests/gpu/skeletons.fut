-- SPDX-License-Identifier: Apache-2.0
-- One entry point for each way in which a device runs kernels, on few elements made from a size: for tools that look at every access
-- (tests/gpu/sanitize.py), which make programs a hundred times slower.  The values are compared with the interpreter's.

def some (i: i64) : i32 = i32.i64 ((i * 7919 + 13) % 1009)
def floats (n: i64) : [n]f32 = tabulate n (\i -> f32.i32 (some i) / 8)

entry map_ (n: i64) : [n]i32 = map (\i -> some i * 3) (iota n)
entry reduce_ (n: i64) : i32 = i32.sum (map some (iota n))
entry reduce_in_order (n: i64) : (i32, i32) =
  reduce (\(a, b) (c, d) -> (a * c % 1009, (b * c + d) % 1009)) (1, 0) (map (\i -> (some i, some (i + 1))) (iota n))
entry argmax (n: i64) : (i32, i64) =
  reduce_comm (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j)) (-1, i64.highest) (map (\i -> (some i, i)) (iota n))
entry scan_ (n: i64) : [n]i32 = scan (+) 0 (map some (iota n))
entry scan_pairs (n: i64) : ([n]i32, [n]i32) =
  unzip (scan (\(a, b) (c, d) -> (a * c % 1009, (b * c + d) % 1009)) (1, 0) (map (\i -> (some i, some (i + 1))) (iota n)))
entry filter_ (n: i64) : []i32 = filter (\x -> x % 3 == 0) (map some (iota n))
entry partition_ (n: i64) : ([]i32, []i32, []i32) = partition2 (< 300) (< 700) (map some (iota n))
entry scatter_ (n: i64) : [n]i32 = scatter (replicate n 0) (map (\i -> (i * 7 + 3) % n) (iota n)) (map some (iota n))
entry few_bins (n: i64) : [31]i32 = hist (+) 0 31 (map (\i -> i64.i32 (some i) % 31) (iota n)) (map some (iota n))
entry many_bins (n: i64) : [5000]i32 = hist (+) 0 5000 (map (\i -> i * 31 % 5000) (iota n)) (map some (iota n))
entry swapping_bins (n: i64) : [31]i32 = hist (\a b -> i32.min 100000 (a + b)) 0 31 (map (\i -> i64.i32 (some i) % 31) (iota n)) (map some (iota n))
entry locked_bins (n: i64) : ([31]i32, [31]i64) =
  unzip (hist (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j)) (-1, i64.highest) 31
              (map (\i -> i64.i32 (some i) % 31) (iota n)) (map (\i -> (some i, i)) (iota n)))
entry short_rows (n: i64) : []i32 = map (\i -> i32.sum (map (\j -> some (i * 3 + j)) (iota 3))) (iota (n / 3))
entry middle_rows (n: i64) : []i32 = map (\i -> i32.sum (map (\j -> some (i * 33 + j)) (iota 33))) (iota (n / 33))
entry long_rows (n: i64) : [2]i32 = map (\i -> i32.sum (map (\j -> some (i * n + j)) (iota (n / 2)))) (iota 2)
entry row_scans (n: i64) : [][33]i32 = map (\i -> scan (+) 0 (map (\j -> some (i * 33 + j)) (iota 33))) (iota (n / 33))
entry columns (n: i64) : [40]i32 = map i32.sum (transpose (tabulate_2d (n / 40) 40 (\i j -> some (i * 40 + j))))
entry uneven_rows (n: i64) : []i32 =
  let xs = map some (iota n)
  let ends = map (\k -> k * k) (iota (i64.f64 (f64.sqrt (f64.i64 n)) + 1))
  in map (\k -> i32.sum xs[ends[k]:ends[k + 1]]) (iota (length ends - 1))
def uneven (i: i64) : []i32 = map (\j -> some (i + j)) (iota (i % 5))
entry flat_map (n: i64) : []i32 = (flatmap' uneven (iota (n / 3))).3
entry transposed (n: i64) : [][]i32 = let m = i64.f64 (f64.sqrt (f64.i64 n)) in copy (transpose (tabulate_2d m (m + 1) (\i j -> some (i * m + j))))
entry product (n: i64) : [][]f32 =
  let m = i64.f64 (f64.sqrt (f64.i64 n)) + 1
  let (a, b) = (unflatten (floats (m * m)), unflatten (floats (m * m)))
  in map (\(r: [m]f32) -> map (\(c: [m]f32) -> f32.sum (map2 (\x y -> f32.round (x * y)) r c)) (transpose b)) a
entry all_pairs (n: i64) : []f32 = let xs = floats (n / 8) in map (\x -> f32.sum (map (\y -> f32.round (f32.abs (x - y))) xs)) xs
entry common_values (n: i64) : []i32 =
  let (xs, ys) = (map some (iota (n + 32768)), map some (iota 300)) in map (\x -> i32.sum (map (\y -> (x - y) * (x - y)) ys)) xs
entry large_product (n: i64) : i32 =
  let (a, b) = (tabulate_2d 1500 9 (\i j -> some (i * 9 + j + n)), tabulate_2d 9 1400 (\i j -> some (i * 1400 + j)))
  in i32.sum (flatten (map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a))
entry many_products (n: i64) : [][]i32 =
  let xs = tabulate_3d (n / 256) 16 16 (\i j k -> some (i * 256 + j * 16 + k))
  in map (\x -> flatten (map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose x)) x)) xs
entry turned_points (n: i64) : [][]i32 =
  let m = i64.f64 (f64.sqrt (f64.i64 n)) in map (map (* 3)) (transpose (tabulate_2d m (m + 1) (\i j -> some (i * m + j))))
entry near_points (n: i64) : [][]i32 =
  let m = i64.f64 (f64.sqrt (f64.i64 n))
  let a = tabulate_2d m m (\i j -> some (i * m + j))
  in tabulate_2d m m (\i j -> if i == 0 || j == 0 || i == m - 1 || j == m - 1 then a[i, j] else a[i - 1, j] + a[i, j - 1] - a[i + 1, j] * a[i, j + 1])
entry group_rows (n: i64) : [][64]i32 =
  map (\i -> let xs = map (\j -> some (i * 64 + j)) (iota 64)
             let most = i32.maximum xs
             in scan i32.max 0 (map (\x -> most - x) xs)) (iota (n / 64))
entry stencil (n: i64) : []i32 =
  loop xs = map some (iota n) for _i < 5i32 do tabulate n (\j -> (xs[(j + n - 1) % n] + xs[(j + 1) % n]) % 1009)
entry many_steps (n: i64) : []i32 = loop xs = map some (iota (n / 100)) for i < 200i32 do map (\x -> (x * 5 + i) % 1009) xs
entry sequential (n: i64) : i32 = let xs = map some (iota n) in loop x = 0 for i < 50i64 do xs[(i64.i32 x + i) % n]
entry scratch (n: i64) : []i32 =
  map (\i -> let xs = map (\j -> some (i + j)) (iota (i % 17))
             in loop x = 0 for k < i % 17 do (x * 3 + xs[k]) % 1009) (iota n)
def sorted [n] (xs: [n]i32) : []i32 =
  if n <= 16 then loop ys = copy xs for i < n do
                    loop ys for j < n - 1 do if ys[j] > ys[j + 1] then (let (a, b) = (ys[j], ys[j + 1]) in (ys with [j] = b) with [j + 1] = a) else ys
  else let (a, b, c) = partition2 (< xs[n / 2]) (== xs[n / 2]) xs in sorted a ++ b ++ sorted c
entry recursive (n: i64) : []i32 =
  let xs = map some (iota n) in sorted xs

-- Loops of small kernels, which one group of threads runs.
entry loop_of_folds (n: i64) : [n]i32 =
  loop xs = map some (iota n) for i < 5 do
    let ys = scan (+) 0 (map (+ i) xs)
    let most = i32.maximum ys
    in map2 (\x y -> (x + y * 7 + most) % 1009) (rotate 1 xs) ys
entry loop_until (n: i64) : ([n]i32, i32) =
  loop (xs, k) = (map some (iota n), 0) while k < 6 && i32.sum xs > 10 do
    (tabulate n (\i -> (xs[i] + xs[(i + 1) % n]) / 3), k + 1)
entry loop_of_bins (n: i64) : ([8]i32, [n]i32) =
  loop (bins, xs) = (replicate 8 0, map some (iota n)) for i < 4i64 do
    (reduce_by_index (copy bins) (+) 0 (map (\x -> i64.i32 x % 8) xs) xs, scatter (copy xs) (map (\j -> (j * 7 + i) % n) (iota n)) (map (+ 1) xs))
