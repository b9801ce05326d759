-- SPDX-License-Identifier: Apache-2.0
-- Reductions with operators of all kinds.
import "compare"

-- ==
-- entry: reduced_product reduced_zeros reduced_extremes reduced_pairs reduced_free reduced_rows
-- no_opencl input { 8i64 } output { true }
-- no_opencl input { 1i64 } output { true }
entry reduced_product (n: i64) = check (\(x: [n]f64) -> [f64.product x])
-- Derivatives of a product are known where factors are zero, too.
entry reduced_zeros (n: i64) =
  let f (x: [n]f64) = f64.product x
  let one = vjp f (map (\i -> f64.i64 i) (iota n)) 1
  let two = vjp f (map (\i -> f64.i64 (i / 2)) (iota n)) 1
  in one[0] == f64.product (map (\i -> f64.i64 (i64.max 1 i)) (iota n)) && all (== 0) (drop 1 one) && (n == 1 || all (== 0) two)
entry reduced_extremes (n: i64) =
  check (\(x: [n]f64) -> [f64.minimum x, f64.maximum (map2 (*) x (reverse x)), reduce f64.max 0.5 x])
entry reduced_pairs (n: i64) =
  check (\(x: [n]f64) ->
           let (a, b) = reduce (\(a, b) (c, d) -> (a * c, a * d + b)) (1, 0) (zip x (map (\y -> y * y) x))
           in [a, b])
-- The operator uses what is differentiated.
entry reduced_free (n: i64) =
  check (\(x: [n]f64) -> [reduce (\a b -> a + b + x[0] * a * b) 0 x])
entry reduced_rows (n: i64) =
  check (\(x: [n * 3]f64) -> reduce (map2 (\a b -> a * b)) [1, 1, 1] (unflatten x :> [n][3]f64))

-- Booleans, and the length of an array.
-- ==
-- entry: opposite
-- input { true } output { true true false }
-- input { false } output { true true false }
entry opposite (x: bool) = (jvp (\y -> !y) x true, vjp (\y -> !y) x true, jvp (\y -> y && !y) x true)

-- ==
-- entry: length
-- input { 5i64 } output { 5i64 0i64 }
entry length (n: i64) = (vjp (\k -> i64.sum (iota k)) n 1, jvp (\k -> i64.sum (iota k)) n 1)
