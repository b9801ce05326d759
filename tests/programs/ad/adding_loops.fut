-- SPDX-License-Identifier: Apache-2.0
-- Loops that only add up, which reverse mode takes for sums, and loops that look like them.
-- ==
-- entry: one_sum differences two_sums nested_sums from_a_value counted whole_numbers reads_itself used_twice takes_away products
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 9i64 } output { true }
import "compare"

entry one_sum (n: i64) =
  check (\(x: [n]f64) -> [loop s = 0 for i < n do s + x[i] * x[i]])

-- The sum is on either side, and more than one thing is added or taken away.
entry differences (n: i64) =
  check (\(x: [n]f64) -> [loop s = 0 for i < n do f64.sin x[i] + (s - x[i] * x[n - 1 - i]) + x[0]])

entry two_sums (n: i64) =
  check (\(x: [n]f64) ->
           let (a, b) = loop (a, b) = (0, 1) for i < n do (a + x[i] * f64.i64 i, b - f64.exp x[i])
           in [a * b, a])

entry nested_sums (n: i64) =
  check (\(x: [n]f64) ->
           map (\y -> loop s = 0 for i < n do s + (loop t = 0 for j < 3i32 do t + x[i] * y * f64.i32 j)) x)

entry from_a_value (n: i64) =
  check (\(x: [n]f64) -> map (\y -> loop s = y * y for i < n do s + y * x[i]) x)

-- No rounds, however negative the bound.
entry counted (n: i64) =
  check (\(x: [n]f64) -> map (\y -> loop s = y for _i < n - 5 do s + y * y) x)

-- A sum of whole numbers beside one that is differentiated.
entry whole_numbers (n: i64) =
  check (\(x: [n]f64) ->
           let (a, k) = loop (a, k) = (0, 0i64) for i < n do (a + x[i] * x[i], k + i * i)
           in [a * f64.i64 (k + 1)])

-- These are no sums.
entry reads_itself (n: i64) =
  check (\(x: [n]f64) -> [loop s = 0.5 for i < n do s + f64.sin s * x[i]])

entry used_twice (n: i64) =
  check (\(x: [n]f64) ->
           let (a, b) = loop (a, b) = (0, 0) for i < n do let c = a + x[i] in (c, b + c * x[i])
           in [a, b])

entry takes_away (n: i64) =
  check (\(x: [n]f64) -> [loop s = 0.5 for i < n do x[i] * x[i] - s])

-- Tables that many rows read at computed and at constant places.
entry products (n: i64) =
  check (\(x: [n + 4]f64) ->
           let table = x[n:] :> [4]f64
           in map (\i -> loop s = 0 for j < n do s + x[j] * x[(i * j) % n] * table[1] + table[3] / table[2]) (iota n))
