-- SPDX-License-Identifier: Apache-2.0
-- The same loop over n elements again and again: with few elements a second thread does not pay (threads.py).
def start (n: i64) : [n]f32 = map (\i -> f32.i64 (i % 100)) (iota n)

entry maps (rounds: i32) (n: i64) : [n]f32 =
  loop xs = start n for _i < rounds do map (\i -> xs[i] * 0.5 + xs[n - 1 - i] * 0.5) (iota n)

entry sums (rounds: i32) (n: i64) : f32 =
  let xs = start n
  in loop s = 1 for _i < rounds do f32.sum (map (\x -> x * s) xs) / f32.i64 n * 0.01

entry scans (rounds: i32) (n: i64) : [n]i32 =
  loop xs = map i32.i64 (iota n) for _i < rounds do scan (+) 0 xs

entry scans_f64 (rounds: i32) (n: i64) : [n]f64 =
  loop xs = map f64.i64 (iota n) for _i < rounds do map (* 1e-6) (scan (+) 0 xs)

entry filters (rounds: i32) (n: i64) : i64 =
  let xs = map i32.i64 (iota n)
  in loop s = 0 for _i < rounds do s + length (filter (\x -> x % 3 == i32.i64 (s % 2)) xs)

-- Of m × m elements, some 2 m loops, in the manner of `lu.fut`.
entry lu (rounds: i32) (n: i64) : f32 =
  let m = i64.f64 (f64.sqrt (f64.i64 n))
  in loop s = 0 for r < rounds do
       let a = tabulate_2d m m (\i j -> f32.i64 ((i * j + i64.i32 r) % 17) + if i == j then 20 else 0)
       let a = loop a = a for k < m - 1 do
                 let row = copy a[k]
                 in map2 (\i r -> if i <= k then r
                                  else let factor = r[k] / row[k]
                                       in map3 (\j x y -> if j < k then x else if j == k then factor else x - factor * y)
                                               (iota m) r row)
                         (iota m) a
       in s + a[m - 1, m - 1]
