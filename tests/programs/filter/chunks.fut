-- SPDX-License-Identifier: Apache-2.0
-- Filters and partitions that are long enough to be cut into chunks.
-- ==
-- entry: odd
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [100003]i32 } auto output
entry odd [n] (xs: [n]i32) : []i32 = filter (\x -> x % 2 != 0) xs

-- ==
-- entry: all_or_none
-- random input { [100003]u8 true } auto output
-- random input { [100003]u8 false } auto output
entry all_or_none [n] (xs: [n]u8) (all: bool) : []u8 = filter (\x -> all && x == x) xs

-- ==
-- entry: pairs
-- random input { [70001]i64 [70001]i8 } auto output
entry pairs [n] (xs: [n]i64) (ys: [n]i8) : ([]i64, []i8) =
  unzip (filter (\(x, y) -> x > i64.i8 y) (zip xs ys))

-- ==
-- entry: three
-- random input { [100003]i32 } auto output
entry three [n] (xs: [n]i32) : ([]i32, []i32, []i32) =
  partition2 (\x -> x % 3 == 0) (\x -> x < 0) xs

-- Rows that are arrays.
-- ==
-- entry: rows
-- random input { [9001][3]i32 } auto output
entry rows [n] [m] (xs: [n][m]i32) : [][m]i32 = filter (\r -> r[0] > r[m - 1]) xs
