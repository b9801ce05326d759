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

-- Numbers that need each other have a scan of their own.
-- ==
-- entry: recurrence recurrence_of_pairs matrices_2 matrices_3 one_wanted whole_group
-- no_opencl input { 8i64 } output { true }
-- no_opencl input { 1i64 } output { true }
def affine (a: f64, b: f64) (c: f64, d: f64) = (a * c, c * b + d)
entry recurrence (n: i64) =
  check (\(x: [n]f64) -> let (_, y) = unzip (scan affine (1, 0) (zip x (map f64.sin x))) in y)
entry recurrence_of_pairs (n: i64) =
  check (\(x: [n]f64) -> let (a, y) = unzip (scan affine (1, 0) (zip x (map f64.sin x))) in map2 (\a y -> a * f64.exp y) a y)
entry matrices_2 (n: i64) =
  check (\(x: [n]f64) ->
           let op (a, b, c, d) (e, f, g, h) : (f64, f64, f64, f64) =
             (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
           in flatten (map (\(a, b, c, d) -> [a, b, c, d])
                           (scan op (1, 0, 0, 1) (map (\y -> (y, 1, 0.5, f64.cos y)) x))))
entry matrices_3 (n: i64) =
  check (\(x: [n]f64) ->
           let row (a, b, c) (d, e, f) (g, h, i) (j, k, l) : (f64, f64, f64) =
             (a * d + b * g + c * j, a * e + b * h + c * k, a * f + b * i + c * l)
           let op (a1, a2, a3) (b1, b2, b3) = (row a1 b1 b2 b3, row a2 b1 b2 b3, row a3 b1 b2 b3)
           let all = scan op ((1, 0, 0), (0, 1, 0), (0, 0, 1)) (map (\y -> ((y, 1, 0), (0.5, 0, f64.sin y), (y, y, 1))) x)
           in flatten (map (\((a, b, c), (d, e, f), (g, h, i)) -> [a, b + c, d, e, f, g, h * i]) all))
-- Of three only the second has a cotangent; it needs the others.
entry one_wanted (n: i64) =
  check (\(x: [n]f64) ->
           let op (a, b, c) (d, e, f) : (f64, f64, f64) = (a + d, b + e + a * f, c + f)
           in map (.1) (scan op (0, 0, 0) (map (\y -> (y, y * y, 2 * y)) x)))
-- Seven numbers that need each other: products of power series.
entry whole_group (n: i64) =
  check (\(x: [n]f64) ->
           let op (a, b, c, d, e, f, g) (p, q, r, s, t, u, v) : (f64, f64, f64, f64, f64, f64, f64) =
             (a * p, a * q + b * p, a * r + b * q + c * p, a * s + b * r + c * q + d * p,
              a * t + b * s + c * r + d * q + e * p, a * u + b * t + c * s + d * r + e * q + f * p,
              a * v + b * u + c * t + d * s + e * r + f * q + g * p)
           in map (\r -> r.5 + r.6) (scan op (1, 0, 0, 0, 0, 0, 0) (map (\y -> (y, y, 1, y, 2, y, y)) x)))
