-- SPDX-License-Identifier: Apache-2.0
-- Bins of more than eight bytes, which are updated under a lock in the memory of groups: many points in few bins, and in bins of which most stay empty.
-- ==
-- entry: quadruples
-- input { 20000i64 7i64 } output { true }
-- input { 20000i64 1i64 } output { true }
-- input { 30000i64 900i64 } output { true }
-- input { 0i64 3i64 } output { true }
-- ==
-- entry: long_sums
-- input { 20000i64 5i64 } output { true }

def key (h: i64) (i: i64) : i64 = (i * 7919 + i / 3) % (h + 1)

-- The place of the largest value and the number of points; the last bin of all is out of range.
def more (a: i32, b: i32, c: i32, d: i32) (e: i32, f: i32, g: i32, h: i32) : (i32, i32, i32, i32) =
  if a > e || (a == e && c < g) then (a, b + f, c, d) else (e, b + f, g, h)

entry quadruples (n: i64) (h: i64) : bool =
  let point i = (i32.i64 (i * 31 % 1009), 1, i32.i64 i, i32.i64 (key h i))
  let zero = (i32.lowest, 0, i32.highest, 0)
  let counted = hist more zero h (tabulate n (key h)) (tabulate n point)
  let bins =
    loop bins = replicate h zero for i < n do
      let k = key h i in if k < h then bins with [k] = more bins[k] (point i) else bins
  in all id (map2 (==) counted bins)

-- Three words that are added up.
entry long_sums (n: i64) (h: i64) : bool =
  let add (a: i64, b: i64, c: i64) (d: i64, e: i64, f: i64) = (a + d, b + e * 2 - e, i64.max c f)
  let point i = (i, i * i, i % 1000)
  let counted = hist add (0, 0, 0) h (tabulate n (key h)) (tabulate n point)
  let bins =
    loop bins = replicate h (0, 0, 0) for i < n do
      let k = key h i in if k < h then bins with [k] = add bins[k] (point i) else bins
  in all id (map2 (==) counted bins)
