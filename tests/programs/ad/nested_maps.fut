-- SPDX-License-Identifier: Apache-2.0
-- Maps in maps.  Both modes are compared with each other and with differences (compare.fut).
-- ==
-- entry: nested rows
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- ==
-- entry: nested
-- input { 0i64 } output { true }

import "compare"

entry nested (n: i64) =
  check (\(x: [n]f64) -> map (\a -> f64.sum (map2 (\b i -> f64.exp (a - b) * x[i] * a) x (iota n))) x)
entry rows (n: i64) =
  check (\(x: [n]f64) ->
           let table = map (\a -> map (\b -> a * b + a) x) x
           in map (\row -> f64.product (map (+ 0.5) row) * row[0]) table)
