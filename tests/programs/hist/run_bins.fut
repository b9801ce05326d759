-- SPDX-License-Identifier: Apache-2.0
-- Points of neighbours that have the same bin are one update, whatever the keys are: the tuning file asks for that way.
def keys (k: i64) (n: i64) (h: i64) : [n]i64 =
  tabulate n (\i -> if k == 0 then i * h / n else if k == 1 then h - 1 - i * (h + 2) / n else if k == 2 then i * 7919 % (h + 5) else h / 2)
-- ==
-- entry: products largest quads sums pairs
-- input { 0i64 30i64 7i64 } output { true }
-- input { 0i64 20000i64 300i64 } output { true }
-- input { 1i64 9001i64 3000i64 } output { true }
-- input { 2i64 30000i64 7000i64 } output { true }
-- input { 3i64 9000i64 20i64 } output { true }
-- compiled input { 0i64 300000i64 60000i64 } output { true }
entry products (k: i64) (n: i64) (h: i64) : bool =
  let ks = opaque (keys k n h)
  let values = map (\i -> i32.i64 (i & 6) + 1) (iota n)
  let expected = loop acc = replicate h 3 for i < n do
                   if ks[i] < 0 || ks[i] >= h then acc else acc with [ks[i]] = acc[ks[i]] * values[i]
  in and (map2 (==) (reduce_by_index (replicate h 3) (*) 1i32 ks values) expected)
-- The larger of two pairs.
entry largest (k: i64) (n: i64) (h: i64) : bool =
  let larger (i: i32, x: i32) (j: i32, y: i32) = if x > y then (i, x) else if y > x then (j, y) else if i < j then (i, x) else (j, y)
  let ks = opaque (keys k n h)
  let values = map (\i -> (i32.i64 i, i32.i64 ((i * 37) & 1023))) (iota n)
  let none = (i32.highest, i32.lowest)
  let expected = loop acc = replicate h none for i < n do
                   if ks[i] < 0 || ks[i] >= h then acc else acc with [ks[i]] = larger acc[ks[i]] values[i]
  in and (map2 (==) (reduce_by_index (replicate h none) larger none ks values) expected)
-- Bins that need locks.
entry quads (k: i64) (n: i64) (h: i64) : bool =
  let more (a: i32, b: i64, c: i32) (d: i32, e: i64, f: i32) = if a > d || (a == d && c <= f) then (a, b + e, c) else (d, b + e, f)
  let ks = opaque (keys k n h)
  let values = map (\i -> (i32.i64 ((i * 37) & 1023), i, i32.i64 (i & 63))) (iota n)
  let none = (i32.lowest, 0i64, i32.highest)
  let expected = loop acc = replicate h none for i < n do
                   if ks[i] < 0 || ks[i] >= h then acc else acc with [ks[i]] = more acc[ks[i]] values[i]
  in and (map2 (\(a, b, c) (d, e, f) -> a == d && b == e && c == f) (reduce_by_index (replicate h none) more none ks values) expected)
-- Whole numbers, so that sums of floats are exact.
entry sums (k: i64) (n: i64) (h: i64) : bool =
  let ks = opaque (keys k n h)
  let values = map (\i -> f32.i64 (i & 7)) (iota n)
  let expected = loop acc = replicate h 3 for i < n do
                   if ks[i] < 0 || ks[i] >= h then acc else acc with [ks[i]] = acc[ks[i]] + values[i]
  in and (map2 (==) (reduce_by_index (replicate h 3) (+) 0f32 ks values) expected)
-- Several histograms of the same points, with keys of 32 bits.
entry pairs (k: i64) (n: i64) (h: i64) : bool =
  let ks = opaque (map i32.i64 (keys k n h))
  let (a, b) = (hist (*) 1i32 h (map i64.i32 ks) (map (\i -> i32.i64 (i & 2) + 1) (iota n)), hist (+) 0i64 h (map i64.i32 ks) (iota n))
  let (c, d) = loop (c, d) = (replicate h 1i32, replicate h 0i64) for i < n do
                 if ks[i] < 0 || i64.i32 ks[i] >= h then (c, d)
                 else (c with [ks[i]] = c[ks[i]] * (i32.i64 (i & 2) + 1), d with [ks[i]] = d[ks[i]] + i)
  in and (map2 (==) a c) && and (map2 (==) b d)
