-- SPDX-License-Identifier: Apache-2.0
-- Histograms of bytes: all 256 values, or 64 bins of four values.
-- ==
-- entry: bins64
-- input { [0u8, 3u8, 4u8, 255u8] }
-- output { [2i32, 1i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32,
--           0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32,
--           0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 1i32] }
-- compiled random input { [5000]u8 } auto output
-- ==
-- entry: bins256
-- compiled random input { [5000]u8 } auto output
import "hash"

entry bins64 [n] (bytes: [n]u8) : [64]i32 = hist (+) 0 64 (map (\b -> i64.u8 (b >> 2)) bytes) (replicate n 1)
entry bins256 [n] (bytes: [n]u8) : [256]i32 = hist (+) 0 256 (map i64.u8 bytes) (replicate n 1)

-- ---- data

entry make_bytes (n: i64) : [n]u8 = tabulate n (\i -> u8.u32 (hash (u32.i64 i)))
