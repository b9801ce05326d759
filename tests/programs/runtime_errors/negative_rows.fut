-- SPDX-License-Identifier: Apache-2.0
-- Rows that cannot be made: the message is that of the first row, not of the array around them.
-- ==
-- input { 2i64 -2i64 } error: Range 0\.\.1\.\.<-2 is invalid
-- input { 2i64 1i64 } output { [[0i64], [1i64]] }
-- ==
-- entry: inner
-- input { [1i64, -4i64] } error: Range 0\.\.1\.\.<-4 is invalid
-- input { [2i64, 2i64] } output { [4i64, 4i64] }

def main (n: i64) (m: i64) = tabulate_2d n m (\i j -> i + j)

entry inner (ms: []i64) = map (\m -> i64.sum (flatten (tabulate_2d 2 m (\i j -> i + j)))) ms
