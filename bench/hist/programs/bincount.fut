-- SPDX-License-Identifier: Apache-2.0
-- As NumPy's bincount: how often each number occurs, or the sum of the weights with it.
-- ==
-- entry: bincount
-- input { 4i64 [0i32, 3i32, 3i32, 9i32] } output { [1i64, 0i64, 0i64, 2i64] }
-- input { 0i64 [0i32, 3i32] } output { empty([0]i64) }
-- ==
-- entry: weighted
-- input { 4i64 [0i32, 3i32, 3i32, -2i32] [0.5, 1.0, 2.0, 8.0] } output { [0.5, 0.0, 0.0, 3.0] }
import "hash"

entry bincount [n] (h: i64) (keys: [n]i32) : [h]i64 = hist (+) 0 h (map i64.i32 keys) (replicate n 1)
entry weighted [n] (h: i64) (keys: [n]i32) (weights: [n]f64) : [h]f64 = hist (+) 0 h (map i64.i32 keys) weights

-- ---- data

entry make_keys (n: i64) (h: i64) : [n]i32 = tabulate n (\i -> i32.u32 (hash (u32.i64 i) % u32.i64 h))
entry make_weights (n: i64) : [n]f64 = tabulate n (\i -> f64.u32 (hash (u32.i64 i)) / 4294967296)
