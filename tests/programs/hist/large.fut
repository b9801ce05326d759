-- SPDX-License-Identifier: Apache-2.0
-- Histograms with about as many bins as there are values.
-- ==
-- entry: sums
-- input { 100000i64 70000i64 } output { 4999950000i64 2i64 1i64 0i64 }
-- ==
-- entry: largest
-- input { 50000i64 60000i64 } output { 1249975000i64 -10000i64 }
-- ==
-- entry: floats
-- input { 30000i64 40000i64 } output { 30000f64 }

entry sums (n: i64) (k: i64) =
  let h = reduce_by_index (replicate k 0i64) (+) 0 (map (% k) (iota n)) (iota n)
  let c = reduce_by_index (replicate k 0i64) (+) 0 (map (% k) (iota n)) (replicate n 1)
  in (i64.sum h, c[0], c[k - 1], c[k - 1] - 1)

entry largest (n: i64) (k: i64) =
  let h =
    reduce_by_index (replicate k (-1i64)) i64.max i64.lowest (map (\i -> (i * 7) % n) (iota n)) (map (\i -> (i * 7) % n) (iota n))
  in (i64.sum (map (i64.max 0) h), i64.sum (filter (< 0) h))

-- The order matters to the last bit, so it is fixed.
entry floats (n: i64) (k: i64) =
  f64.sum (reduce_by_index (replicate k 0f64) (+) 0 (map (% k) (iota n)) (replicate n 1))
