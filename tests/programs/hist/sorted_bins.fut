-- SPDX-License-Identifier: Apache-2.0
-- More bins than fit the memory of a group: devices sort the points by ranges of bins first.  The tuning file lets that begin with few points.
-- Each entry compares a histogram with a loop; some keys are outside.

type spread = #even | #one | #sorted | #zipf

def key (s: spread) (n: i64) (h: i64) (i: i64) : i64 =
  match s
  case #even -> (i * 7919 + 13) % (h + 2) - 1
  case #one -> h - 1
  case #sorted -> i * h / n
  case #zipf -> h / (1 + (i * 31) % n) - 1

def spread_of (k: i64) : spread =
  if k == 0 then #even else if k == 1 then #one else if k == 2 then #sorted else #zipf

def update 'a [h] (op: a -> a -> a) (acc: *[h]a) (k: i64) (v: a) : *[h]a =
  if k >= 0 && k < h then let old = copy acc[k] in acc with [k] = copy (op old v) else acc

def by_loop 'a [h] [n] (op: a -> a -> a) (dest: *[h]a) (keys: [n]i64) (values: [n]a) : *[h]a =
  loop acc = dest for i < n do update op acc keys[i] (copy values[i])

-- Entry points that make keys for the scripts below.
entry keys (s: i64) (n: i64) (h: i64) : []i64 = map (key (spread_of s) n (i64.max 1 h)) (iota n)

-- ==
-- entry: counts sums largest saturating argmax quadruples same_quadruples stores
-- script input { (keys 0i64 70000i64 30000i64, 30000i64) } output { true }
-- script input { (keys 1i64 70000i64 30000i64, 30000i64) } output { true }
-- script input { (keys 2i64 70000i64 30000i64, 30000i64) } output { true }
-- script input { (keys 3i64 70000i64 30000i64, 30000i64) } output { true }
-- script input { (keys 0i64 8192i64 3001i64, 3001i64) } output { true }
-- script input { (keys 0i64 65537i64 29001i64, 29001i64) } output { true }
-- script input { (keys 0i64 0i64 30000i64, 30000i64) } output { true }
-- script input { (keys 0i64 100i64 0i64, 0i64) } output { true }
-- compiled script input { (keys 0i64 2100000i64 1000000i64, 1000000i64) } output { true }
-- compiled script input { (keys 3i64 2100000i64 100000i64, 100000i64) } output { true }

entry counts [n] (keys: [n]i64) (h: i64) : bool =
  let start = map (\b -> i32.i64 (b % 5)) (iota h)
  let found = reduce_by_index (copy start) (+) 0i32 keys (replicate n 1)
  in and (map2 (==) found (by_loop (+) (copy start) keys (replicate n 1)))

entry sums [n] (keys: [n]i64) (h: i64) : bool =
  let values = map (\i -> i32.i64 (i & 15) - 8) (iota n)
  let found = reduce_by_index (replicate h 0) (+) 0i32 keys values
  in and (map2 (==) found (by_loop (+) (replicate h 0) keys values))

entry largest [n] (keys: [n]i64) (h: i64) : bool =
  let values = map (\i -> f32.i64 ((i * 37) & 1023) - 500) (iota n)
  let found = reduce_by_index (replicate h (-400)) f32.max (-f32.inf) keys values
  in and (map2 (==) found (by_loop f32.max (replicate h (-400)) keys values))

entry saturating [n] (keys: [n]i64) (h: i64) : bool =
  let add a b = i32.min (a + b) 20
  let values = map (\i -> i32.i64 (i & 7)) (iota n)
  let found = reduce_by_index (replicate h 0) add 0i32 keys values
  in and (map2 (==) found (by_loop add (replicate h 0) keys values))

def larger (ai: i32, av: i32) (bi: i32, bv: i32) : (i32, i32) =
  if av > bv || (av == bv && ai < bi) then (ai, av) else (bi, bv)

entry argmax [n] (keys: [n]i64) (h: i64) : bool =
  let values = map (\i -> (i32.i64 i, i32.i64 ((i * 37) & 1023))) (iota n)
  let none = (i32.highest, i32.lowest)
  let found = reduce_by_index (replicate h none) larger none keys values
  let looped = by_loop larger (replicate h none) keys values
  in and (map2 (\(a, b) (c, d) -> a == c && b == d) found looped)

-- Bins that need locks.
def more (a: i32, b: i64, c: i32, d: f32) (e: i32, f: i64, g: i32, h: f32) : (i32, i64, i32, f32) =
  if a > e || (a == e && c <= g) then (a, b + f, c, f32.max d h) else (e, b + f, g, f32.max d h)
def no_quadruple = (i32.lowest, 0i64, i32.highest, -f32.inf)
def same_quadruple (a: i32, b: i64, c: i32, d: f32) (e: i32, f: i64, g: i32, h: f32) : bool =
  a == e && b == f && c == g && d == h

entry quadruples [n] (keys: [n]i64) (h: i64) : bool =
  let values = map (\i -> (i32.i64 ((i * 37) & 1023), i, i32.i64 (i & 63), f32.i64 (i & 255))) (iota n)
  let start = tabulate h (\b -> (500, b, 7, 3))
  let found = reduce_by_index (copy start) more no_quadruple keys values
  in and (map2 same_quadruple found (by_loop more (copy start) keys values))

entry same_quadruples [n] (keys: [n]i64) (h: i64) : bool =
  let values = replicate n (5, 1i64, 3, 2)
  let found = reduce_by_index (replicate h no_quadruple) more no_quadruple keys values
  in and (map2 same_quadruple found (by_loop more (replicate h no_quadruple) keys values))

-- What is counted is stored, too.
entry stores [n] (keys: [n]i64) (h: i64) : bool =
  let moved = map (\k -> k ^ 1) keys
  let found = reduce_by_index (replicate h 0) (+) 0i64 moved (replicate n 3)
  in and (map2 (==) found (by_loop (+) (replicate h 0) moved (replicate n 3)))
     && i64.sum moved == i64.sum (map (\k -> k ^ 1) keys)
