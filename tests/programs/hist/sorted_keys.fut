-- SPDX-License-Identifier: Apache-2.0
-- Keys that are sorted, or come in runs: where devices sort points by ranges of bins first, the parts of ranges are long, and more threads count them.
-- The tuning file lets that begin with few points.
def keys (k: i64) (n: i64) (h: i64) : [n]i64 =
  tabulate n (\i -> if k == 0 then i * h / n else if k == 1 then h - 1 - i * (h + 2) / n else if k == 2 then i / 200 * 7919 % (h + 1) else h / (1 + (i * 31) % n))
-- ==
-- entry: products quads
-- input { 0i64 70000i64 30000i64 } output { true }
-- input { 1i64 200000i64 30000i64 } output { true }
-- input { 2i64 70000i64 29001i64 } output { true }
-- compiled input { 0i64 1000000i64 100000i64 } output { true }
-- compiled input { 3i64 1000000i64 60000i64 } output { true }
entry products (k: i64) (n: i64) (h: i64) : bool =
  let ks = keys k n h
  let values = map (\i -> i32.i64 (i & 6) + 1) (iota n)
  let expected = loop acc = replicate h 3 for i < n do
                   if ks[i] < 0 || ks[i] >= h then acc else acc with [ks[i]] = acc[ks[i]] * values[i]
  in and (map2 (==) (reduce_by_index (replicate h 3) (*) 1i32 ks values) expected)
-- Bins that need locks.
entry quads (k: i64) (n: i64) (h: i64) : bool =
  let more (a: i32, b: i64, c: i32) (d: i32, e: i64, f: i32) = if a > d || (a == d && c <= f) then (a, b + e, c) else (d, b + e, f)
  let ks = keys k n h
  let values = map (\i -> (i32.i64 ((i * 37) & 1023), i, i32.i64 (i & 63))) (iota n)
  let none = (i32.lowest, 0i64, i32.highest)
  let expected = loop acc = replicate h none for i < n do
                   if ks[i] < 0 || ks[i] >= h then acc else acc with [ks[i]] = more acc[ks[i]] values[i]
  in and (map2 (\(a, b, c) (d, e, f) -> a == d && b == e && c == f) (reduce_by_index (replicate h none) more none ks values) expected)
