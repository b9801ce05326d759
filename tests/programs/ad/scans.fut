-- SPDX-License-Identifier: Apache-2.0
-- Scans with operators of all kinds.
import "compare"

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
