-- SPDX-License-Identifier: Apache-2.0
-- More than 2^32 updates of one bin: counts of 64 bits are exact, those of 32 wrap around, saturating sums stay at their limit.
-- Keys are computed, so no array is needed.  PoCL would take a minute for each, and one core some seconds.
-- ==
-- tags { no_opencl }
-- entry: counts
-- compiled input { 4294967301i64 3i64 } output { [0i64, 4294967301i64, 0i64] }
entry counts (n: i64) (h: i64) : [h]i64 = hist (+) 0 h (map (\i -> if i < 0 then i else h / 2) (iota n)) (replicate n 1i64)
-- ==
-- entry: wraps
-- compiled input { 4294967301i64 3i64 } output { [0i32, 5i32, 0i32] }
entry wraps (n: i64) (h: i64) : [h]i32 = hist (+) 0 h (map (\i -> if i < 0 then i else h / 2) (iota n)) (replicate n 1i32)
-- ==
-- entry: saturates
-- compiled input { 4294967301i64 3i64 } output { [0i32, 16777215i32, 0i32] }
entry saturates (n: i64) (h: i64) : [h]i32 = hist (\a b -> i32.min (a + b) 0xffffff) 0 h (map (\i -> if i < 0 then i else h / 2) (iota n)) (replicate n 1i32)
-- ==
-- entry: products
-- compiled input { 4294967301i64 3i64 } output { [1u32, 76560u32, 1u32] }
entry products (n: i64) (h: i64) : [h]u32 = hist (*) 1 h (map (\i -> if i < 0 then i else h / 2) (iota n)) (map (\i -> if i < 5 then 7u32 * u32.i64 i + 1 else 2 * u32.i64 (i & 1) + 1) (iota n))
