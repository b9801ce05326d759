-- SPDX-License-Identifier: Apache-2.0
-- A check of an array that is only looked at once stays, though the array itself is never made.
-- ==
-- entry: ranges
-- input { [1i64, 2i64] [0, 1] }
-- output { [0i64, 1i64] }
-- input { [1i64, 2i64] [0, 2] }
-- error: out of bounds
-- input { [1i64, -2i64] [0, 1] }
-- error: Range 0..1..<-2 is invalid

-- ==
-- entry: sevens
-- input { [1i64, 2i64] }
-- output { [7i64, 7i64] }
-- input { [1i64, -2i64] }
-- error: invalid

entry ranges = map2 (\(n: i64) (i: i32) -> (iota n)[i])

entry sevens (ns: []i64) : []i64 = map (\n -> (map (\i -> i * 0 + 7) (0..<n))[0]) ns
