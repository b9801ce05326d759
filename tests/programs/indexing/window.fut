-- SPDX-License-Identifier: Apache-2.0
-- Sliding windows need no checks; windows that are too long or begin too late keep theirs.
-- ==
-- entry: sums
-- input { [1, 2, 3, 4, 5] 2i64 } output { [3, 5, 7, 9] }
-- input { [1, 2, 3] 3i64 } output { [6] }
-- input { [1, 2, 3] 0i64 } output { [0, 0, 0, 0] }
-- input { [1, 2, 3] 5i64 } error: Range 0..1..<-1 is invalid
-- ==
-- entry: too_long
-- input { [1, 2, 3, 4, 5] 2i64 } error: Index \[5\] out of bounds
-- ==
-- entry: too_late
-- input { [1, 2, 3, 4, 5] 2i64 } error: Index \[5\] out of bounds
-- ==
-- entry: count
-- input { [1u8, 2u8, 1u8, 2u8, 1u8] [1u8, 2u8] } output { 2i64 }
-- input { [1u8, 2u8, 1u8] [1u8, 2u8, 1u8] } output { 1i64 }

entry sums [n] (xs: [n]i32) (m: i64) : []i32 =
  map (\i -> i32.sum (map (\j -> xs[i + j]) (iota m))) (iota (n - m + 1))

entry too_long [n] (xs: [n]i32) (m: i64) : []i32 =
  map (\i -> i32.sum (map (\j -> xs[i + j]) (iota (m + 1)))) (iota (n - m + 1))

entry too_late [n] (xs: [n]i32) (m: i64) : []i32 =
  map (\i -> i32.sum (map (\j -> xs[i + j]) (iota m))) (iota (n - m + 2))

entry count [n] [m] (text: [n]u8) (pattern: [m]u8) : i64 =
  let at i = loop ok = true for j < m do ok && text[i + j] == pattern[j]
  in i64.sum (map (\i -> i64.bool (at i)) (iota (n - m + 1)))
