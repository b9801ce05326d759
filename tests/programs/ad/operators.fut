-- SPDX-License-Identifier: Apache-2.0
-- Reductions, scans and histograms with operators of all kinds.
import "compare"

def saturating (x: f64) (y: f64) : f64 = f64.min 3 (x + y)
def bins (n: i64) (k: i64) : [n]i64 = map (\i -> (i * i * 5 + 3) % (k + 1)) (iota n)

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

-- ==
-- entry: scanned_product scanned_extremes scanned_segments scanned_free scanned_triples scanned_rows
-- no_opencl input { 8i64 } output { true }
-- no_opencl input { 1i64 } output { true }
entry scanned_product (n: i64) = check (\(x: [n]f64) -> scan (*) 1 x)
entry scanned_extremes (n: i64) = check (\(x: [n]f64) -> scan f64.max (-1000) (map2 (*) x (reverse x)))
entry scanned_segments (n: i64) =
  check (\(x: [n]f64) ->
           let flags = map (\i -> i % 3 == 0) (iota n)
           in map (.1) (scan (\(f, a) (g, b) -> (f || g, if g then b else a * b)) (false, 1) (zip flags x)))
entry scanned_free (n: i64) =
  check (\(x: [n]f64) -> scan (\a b -> a + b + x[0] * a * b) 0 x)
entry scanned_triples (n: i64) =
  check (\(x: [n]f64) ->
           let op (a, b, c) (d, e, f) : (f64, f64, f64) = (a + d, b + e, c + f + a * e)
           in flatten (map (\(a, b, c) -> [a, b, c]) (scan op (0, 0, 0) (map (\y -> (y, y * y, 1)) x))))
entry scanned_rows (n: i64) =
  check (\(x: [n * 3]f64) -> flatten (scan (map2 (\a b -> a * b)) [1, 1, 1] (unflatten x :> [n][3]f64)))

-- Values out of bounds count for nothing; a bin may be empty.
-- ==
-- entry: counted_products counted_extremes counted_pairs counted_free counted_rows counted_planes
-- no_opencl input { 9i64 4i64 } output { true }
-- no_opencl input { 0i64 3i64 } output { true }
-- ==
-- entry: counted_saturating
-- input { 9i64 4i64 } output { true }
-- input { 0i64 3i64 } output { true }
entry counted_products (n: i64) (k: i64) =
  check (\(x: [n + k]f64) -> reduce_by_index (copy (drop n x :> [k]f64)) (*) 1 (bins n k) (take n x))
entry counted_extremes (n: i64) (k: i64) =
  check (\(x: [n + k]f64) -> reduce_by_index (copy (drop n x :> [k]f64)) f64.max (-1000) (bins n k) (take n x))
entry counted_saturating (n: i64) (k: i64) =
  check (\(x: [n + k]f64) -> reduce_by_index (copy (drop n x :> [k]f64)) saturating 0 (bins n k) (take n x))
entry counted_pairs (n: i64) (k: i64) =
  check (\(x: [n + k]f64) ->
           let op (a, b) (c, d) : (f64, f64) = (a * c, a * d + b * c)
           let dest = map (\y -> (y, 1 - y)) (drop n x :> [k]f64)
           let (a, b) = unzip (reduce_by_index dest op (1, 0) (bins n k) (map (\y -> (y, y * y)) (take n x)))
           in concat a b :> [k + k]f64)
entry counted_free (n: i64) (k: i64) =
  check (\(x: [n + k]f64) ->
           reduce_by_index (copy (drop n x :> [k]f64)) (\a b -> a + b + x[n] * a * b) 0 (bins n k) (take n x))
entry counted_rows (n: i64) (k: i64) =
  check (\(x: [(n + k) * 2]f64) ->
           let rows = unflatten x :> [n + k][2]f64
           in flatten (reduce_by_index (copy (drop n rows :> [k][2]f64)) (map2 (*)) [1, 1] (bins n k) (take n rows)))
entry counted_planes (n: i64) (k: i64) =
  check (\(x: [n]f64) ->
           let dest = replicate k (replicate 2 0.5f64)
           in flatten (reduce_by_index_2d dest saturating 0 (zip (bins n k) (map (% 3) (iota n))) x))

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
