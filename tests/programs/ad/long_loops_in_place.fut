-- SPDX-License-Identifier: Apache-2.0
-- A loop with an array that is too large to be stored in each round, and one that counts in i32.

import "compare"

-- Rounds that count in another type than i64, around writes to computed places.
-- ==
-- entry: small_counters
-- input { 3i64 } output { true }
-- input { 50i64 } output { true }
entry small_counters (n: i64) =
  check (\(x: [n]f64) ->
           map (\a -> let c = loop c = replicate 10 a for s < 20i32 do
                        let d = loop d = replicate 10 0.0 for j < n do
                                  let (i, k) = (j % 10, (j * 3 + 1) % 10)
                                  let v = x[j] * c[i] * c[k]
                                  let d[i] = d[i] - v
                                  in d with [k] = d[k] + v + f64.i32 s * 1e-3
                        in map2 (\c d -> c + 0.001 * d) c d
                      in f64.sum c * c[3]) x)

-- Arrays for all rounds would take 320 GB.
-- ==
-- entry: long
-- input { 200000i64 } output { 1.0f64 }
entry long (n: i64) =
  let run (x: [n]f64) = (loop y = copy x for i < n - 1 do y with [i + 1] = y[i] * y[i + 1])[n - 1]
  in f64.sum (vjp run (replicate n 1) 1) / f64.i64 n
