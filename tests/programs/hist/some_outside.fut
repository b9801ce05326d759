-- SPDX-License-Identifier: Apache-2.0
-- Four keys in a row, of which any have no bin.
-- ==
-- entry: counts
-- input { 64i64 5i64 } output { true }
-- input { 67i64 1i64 } output { true }
-- input { 3i64 5i64 } output { true }
-- input { 100003i64 2000i64 } output { true }
-- input { 100003i64 70000i64 } output { true }

-- Bit i % 4 of i / 4 says whether key i has a bin; those that have none are too small or too large.
def key (h: i64) (i: i64) : i64 =
  if ((i / 4) >> (i % 4)) & 1 == 1 then (i * 7 + i / 3) % h else if i % 3 == 0 then h + i else -1 - i

entry counts (n: i64) (h: i64) : bool =
  let keys = opaque (map (key h) (iota n))
  let counted = hist (+) 0i32 h keys (replicate n 1)
  let summed = hist (+) 0i64 h keys (iota n)
  let inside = filter (\k -> k >= 0 && k < h) keys
  let sum_inside = i64.sum (map2 (\i k -> if k >= 0 && k < h then i else 0) (iota n) keys)
  let first = i32.sum (map (\k -> i32.bool (k == 0)) keys)
  in i64.i32 (i32.sum counted) == length inside && i64.sum summed == sum_inside && counted[0] == first
