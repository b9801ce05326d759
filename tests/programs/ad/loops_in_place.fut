-- SPDX-License-Identifier: Apache-2.0
-- Loops that read parts of an array and update it in place: what they read is stored, not the array of
-- every round.
-- ==
-- entry: recurrence two_arrays read_twice rows table while_loop in_map nested swapped read_whole constant_size
-- input { 3i64 } output { true }
-- input { 7i64 } output { true }

import "compare"

entry recurrence (n: i64) =
  check (\(x: [n]f64) ->
           loop y = copy x for i < n - 1 do y with [i + 1] = f64.sin y[i] * x[i] + y[i + 1])
entry two_arrays (n: i64) =
  check (\(x: [n]f64) ->
           let (a, b) = loop (a, b) = (copy x, map f64.cos x) for i < n do
                          let v = a[(i * 2) % n] * b[i]
                          let a = a with [i] = v
                          in (a, b with [(i + 1) % n] = v * b[(i + 1) % n])
           in map2 (+) a b)
-- After the update the same place holds something else.
entry read_twice (n: i64) =
  check (\(x: [n]f64) ->
           loop y = copy x for i < n do
             let before = y[i]
             let y[i] = before * before
             let after = y[i]
             in y with [(i + 1) % n] = after * y[(i + 1) % n] * before)
entry rows (n: i64) =
  check (\(x: [n]f64) ->
           let m = loop m = replicate n (copy x) for i in 1..<n do
                     m with [i] = map2 (\a b -> a * b + f64.sin a) m[i - 1] x
           in m[n - 1])
entry table (n: i64) =
  check (\(x: [n]f64) ->
           let t = loop t = replicate n (replicate n 0.5) for i in 1..<n do
                     loop t for j in 1..<n do
                       t with [i, j] = f64.max t[i - 1, j] (t[i, j - 1] * x[i]) + x[j] * t[i - 1, j - 1]
           in t[n - 1])
entry while_loop (n: i64) =
  check (\(x: [n]f64) ->
           let (y, _) = loop (y, i) = (copy x, 0) while i < 2 * n && y[i % n] < 50 do
                          (y with [i % n] = y[i % n] * y[(i + 1) % n] + 1, i + 1)
           in y)
entry in_map (n: i64) =
  check (\(x: [n]f64) ->
           map (\a -> f64.sum (loop y = copy x for i < n - 1 do y with [i + 1] = y[i] * a + y[i + 1] * y[i])) x)
entry nested (n: i64) =
  check (\(x: [n]f64) ->
           vjp (\x -> (loop y = copy x for i < n - 1 do y with [i + 1] = y[i] * y[i] * x[i])[n - 1]) x 1)
-- The arrays change places.
entry swapped (n: i64) =
  check (\(x: [n]f64) ->
           let (a, b) = loop (a, b) = (copy x, map f64.exp x) for i < n do (b, a with [i] = a[i] * a[0])
           in map2 (-) a b)
entry read_whole (n: i64) =
  check (\(x: [n]f64) ->
           loop y = copy x for i < n do
             let s = f64.sum y
             in y with [i] = y[(i + 1) % n] * s)
entry constant_size (n: i64) =
  check (\(x: [n]f64) ->
           loop y = [x[0], x[1], x[2]] for i < n do y with [i % 3] = y[0] * y[1] + y[2] + x[i])
