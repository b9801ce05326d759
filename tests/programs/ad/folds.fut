-- SPDX-License-Identifier: Apache-2.0
-- Reductions and scans: with +, with operators of which the compiler knows nothing, with operators on pairs and rows, and with such as use differentiated names.  Both modes are compared with each other and with differences (compare.fut).
-- ==
-- entry: reduce_add reduce_mul reduce_min reduce_pair reduce_free scan_add scan_mul scan_linear scan_free vector_reduce vector_scan
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- ==
-- entry: reduce_add reduce_mul scan_add scan_mul
-- input { 0i64 } output { true }

import "compare"

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
entry vector_reduce (n: i64) =
  check (\(x: [n]f64) ->
           let rows = map (\a -> [a, a * a, 1]) x
           in reduce (map2 (*)) (replicate 3 1) rows ++ reduce (map2 f64.min) (replicate 3 9) rows
              ++ reduce (map2 (+)) (replicate 3 0) rows)
entry vector_scan (n: i64) =
  check (\(x: [n]f64) ->
           let rows = map (\a -> [a, a * a]) x
           in flatten (scan (map2 (*)) (replicate 2 1) rows) ++ flatten (scan (map2 (+)) (replicate 2 0) rows))
