-- SPDX-License-Identifier: Apache-2.0
-- Loops and branches.  Both modes are compared with each other and with differences (compare.fut).
-- ==
-- entry: loops while_loop loop_arrays loop_free loop_in_map branches branch_arrays
-- input { 1i64 } output { true }
-- input { 6i64 } output { true }
-- ==
-- entry: loops
-- input { 0i64 } output { true }

import "compare"

entry loops (n: i64) =
  check (\(x: [n]f64) ->
           let (a, b) = loop (a, b) = (1, 0.5) for y in x do (a * y + b, f64.sin (a * b) + y)
           in [a, b])
entry while_loop (n: i64) =
  check (\(x: [n]f64) ->
           let (a, _) = loop (a, i) = (x[0], 0) while i < n do (a * x[i] + f64.cos a, i + 1)
           in [a])
entry loop_arrays (n: i64) =
  check (\(x: [n]f64) ->
           loop y = x for i < 3 do map2 (\a b -> a * b + f64.i64 i * x[0]) y (rotate 1 y))
entry loop_free (n: i64) =
  check (\(x: [n]f64) ->
           loop y = copy x for i < n do
             y with [i] = y[i] * y[(i * 2) % n] + x[n - 1 - i])
entry loop_in_map (n: i64) =
  check (\(x: [n]f64) ->
           map (\a -> loop s = a for j < n do s * x[j] + f64.sin s) x)
entry branches (n: i64) =
  check (\(x: [n]f64) ->
           map (\a -> if a > 0.8 then a * x[0] else if a > 0.5 then f64.exp a else x[n - 1]) x)
entry branch_arrays (n: i64) =
  check (\(x: [n]f64) ->
           let y = if x[0] > 0.1 then map (* x[0]) x else x
           let z = if x[0] > 9 then map (* x[0]) x else y
           in map2 (*) y z)
