-- SPDX-License-Identifier: Apache-2.0
-- A product of matrices that are made of the variable.  Both modes are compared with each other and with differences (compare.fut).
-- ==
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }

import "compare"

entry main (n: i64) =
  check (\(x: [n]f64) ->
           let a = map (\i -> map (\j -> x[i] + x[j] * f64.i64 i) (iota n)) (iota n)
           let b = map (\row -> map (\col -> f64.sum (map2 (*) row col)) (transpose a)) a
           in flatten b)
