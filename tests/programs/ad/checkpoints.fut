-- SPDX-License-Identifier: Apache-2.0
-- Loops that #[stripmine] takes apart: the same rounds in the same order, for any number of them.
import "compare"

-- ==
-- entry: two three in_place inside one_level
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 4i64 } output { true }
-- no_opencl input { 17i64 } output { true }
entry two (n: i64) =
  check (\(x: [3]f64) -> #[stripmine(2)] loop y = x for i < n do map (\z -> f64.sin z + 0.1 * f64.i64 i * z) y)
entry three (n: i64) =
  check (\(x: [3]f64) -> #[stripmine(3)] loop y = x for i < i32.i64 n do map2 (\z w -> f64.sin (z * w) + 0.1 * f64.i32 i) y (reverse y))
entry in_place (n: i64) =
  check (\(x: [3]f64) -> #[stripmine(2)] loop y = copy x for i < n do y with [i % 3] = y[(i + 1) % 3] * y[i % 3] * 0.5)
entry inside (n: i64) =
  check (\(x: [3]f64) -> map (\z -> #[stripmine(2)] loop y = z for _i < n do f64.sin y + z * 0.1) x)
entry one_level (n: i64) =
  check (\(x: [3]f64) -> #[stripmine(1)] loop y = x for i < n do map (\z -> f64.cos z + 0.1 * f64.i64 i) y)

-- What is counted is counted once.
-- ==
-- entry: numbers
-- input { 0i64 } output { 0i64 }
-- input { 10i64 } output { 45i64 }
-- input { 1000i64 } output { 499500i64 }
entry numbers (n: i64) = #[stripmine(2)] loop sum = 0 for i < n do sum + i
