-- SPDX-License-Identifier: Apache-2.0
-- Histograms, scatters, and combinators whose results have as many rows as they find.  Both modes are compared with each other and with differences (compare.fut).
-- ==
-- entry: hist_add hist_mul hist_max hist_free scatters filters partitions flatmaps streams
-- input { 1i64 } output { true }
-- input { 9i64 } output { true }
-- ==
-- entry: hist_add scatters filters
-- input { 0i64 } output { true }

import "compare"

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
           let row (k: i64, y: f64) = (map (\j -> y * f64.i64 j * c) (iota k), y * y)
           let (_, _, _, a, b) = flatmap row (zip (map (+ 1) (iota n)) x)
           in [f64.sum (map f64.sin a), f64.sum b])
def hist_of [n] (dest: [n]f64) (x: [n]f64) : [n]f64 =
  reduce_by_index (copy dest) (+) 0 (map (\i -> (i * i) % (n + 1)) (iota n)) (map (\y -> y * y * x[0]) x)
entry streams (n: i64) =
  check (\(x: [n]f64) -> hist_of (map (* 2) x) x)
