-- SPDX-License-Identifier: Apache-2.0
-- Histograms with operators of all kinds.
import "compare"

def saturating (x: f64) (y: f64) : f64 = f64.min 3 (x + y)
def bins (n: i64) (k: i64) : [n]i64 = map (\i -> (i * i * 5 + 3) % (k + 1)) (iota n)

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
