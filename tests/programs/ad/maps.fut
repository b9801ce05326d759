-- SPDX-License-Identifier: Apache-2.0
-- Maps, and what their functions read from outside.  Both modes are compared with each other and with differences (compare.fut).
-- ==
-- entry: maps free_scalar free_array
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- ==
-- entry: maps
-- input { 0i64 } output { true }

import "compare"

entry maps (n: i64) = check (\(x: [n]f64) -> map (\x -> x * x + f64.sin x) x)
entry free_scalar (n: i64) = check (\(x: [n]f64) -> let s = f64.sum x in map (\y -> y * s * s) x)
entry free_array (n: i64) = check (\(x: [n]f64) -> map (\i -> x[i] * x[n - 1 - i] * x[0]) (iota n))
