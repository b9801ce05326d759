-- SPDX-License-Identifier: Apache-2.0
-- Updates, slices, views and new arrays.  Both modes are compared with each other and with differences (compare.fut).
-- ==
-- entry: updates slices concats views literals replicates
-- input { 1i64 } output { true }
-- input { 6i64 } output { true }
-- ==
-- entry: updates
-- input { 0i64 } output { true }

import "compare"

entry updates (n: i64) =
  check (\(x: [n]f64) ->
           let y = if n > 2 then map (\a -> a * a) x with [1] = f64.sum x else copy x
           let z = if n > 2 then copy y with [0:2] = [y[1] * 2, y[2]] else y
           in map2 (*) y z)
entry slices (n: i64) =
  check (\(x: [n]f64) ->
           let y = x[::-1]
           let a = x[:n / 2]
           in map2 (*) x y ++ a)
entry concats (n: i64) =
  check (\(x: [n]f64) -> map (\a -> a * a) x ++ map f64.sin x ++ [x[0]])
entry views (n: i64) =
  check (\(x: [n]f64) ->
           let t = map (\a -> [a, a * a]) x
           in flatten (transpose t) |> map f64.exp)
entry literals (n: i64) = check (\(x: [n]f64) -> [x[0] * x[0], x[n - 1], 3])
entry replicates (n: i64) =
  check (\(x: [n]f64) -> flatten (replicate 3 (map (* 2) x)) |> map (\a -> a * a))
