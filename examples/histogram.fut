-- SPDX-License-Identifier: Apache-2.0
-- How often each value occurs.  What lies outside the bins is not counted.
--
--   echo '4i64 [1i64, 3i64, 1i64, 9i64]' | ./skald-dev run examples/histogram.fut
-- ==
-- input { 4i64 [1i64, 3i64, 1i64, 9i64, -1i64] } output { [0i32, 2i32, 0i32, 1i32] }
-- input { 2i64 empty([0]i64) } output { [0i32, 0i32] }
-- input { 0i64 [1i64] } output { empty([0]i32) }
def main [n] (bins: i64) (values: [n]i64) : [bins]i32 = hist (+) 0 bins values (replicate n 1)

-- Weights instead of counts, and the largest weight of each bin.
-- ==
-- entry: weighted
-- input { 3i64 [0i64, 2i64, 0i64] [0.5f32, 1.5f32, 0.25f32] }
-- output { [0.75f32, 0f32, 1.5f32] [0.5f32, -f32.inf, 1.5f32] }
entry weighted [n] (bins: i64) (values: [n]i64) (weights: [n]f32) : ([bins]f32, [bins]f32) =
  (hist (+) 0 bins values weights, hist f32.max (-f32.inf) bins values weights)

-- ==
-- entry: last_digits
-- input { 25i64 } output { [3i32, 3i32, 3i32, 3i32, 3i32, 2i32, 2i32, 2i32, 2i32, 2i32] }
-- compiled input { 1000000i64 }
-- output { [100000i32, 100000i32, 100000i32, 100000i32, 100000i32, 100000i32, 100000i32, 100000i32, 100000i32, 100000i32] }
entry last_digits (n: i64) : [10]i32 = main 10 (map (% 10) (iota n))
