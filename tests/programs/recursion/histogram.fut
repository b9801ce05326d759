-- SPDX-License-Identifier: Apache-2.0
-- A histogram whose keys come from a function that calls itself.
-- ==
-- entry: halvings
-- input { [1i64, 2i64, 3i64, 8i64, 9i64, 0i64] } output { [2i64, 2i64, 0i64, 2i64] }
-- input { empty([0]i64) } output { [0i64, 0i64, 0i64, 0i64] }

def halvings_of (n: i64) : i64 = if n <= 1 then 0 else 1 + halvings_of (n / 2)

entry halvings [n] (xs: [n]i64) : [4]i64 =
  reduce_by_index (replicate 4 0) (+) 0 (map halvings_of xs) (replicate n 1)
