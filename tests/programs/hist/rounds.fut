-- SPDX-License-Identifier: Apache-2.0
-- Keys and values are computed, so there is no input to measure memory by, and the tuning file leaves little of it: devices that sort points do it in rounds, of three tiles or so.
-- Each entry compares a histogram with a loop; some keys are outside.

def key (h: i64) (i: i64) : i64 = (i * 7919 + i / 1000) % (h + 2) - 1

def update 'a [h] (op: a -> a -> a) (acc: *[h]a) (k: i64) (v: a) : *[h]a =
  if k >= 0 && k < h then let old = copy acc[k] in acc with [k] = copy (op old v) else acc

def by_loop 'a [h] (op: a -> a -> a) (dest: *[h]a) (n: i64) (value: i64 -> a) : *[h]a =
  loop acc = dest for i < n do update op acc (key h i) (value i)

def by_hist 'a [h] (op: a -> a -> a) (ne: a) (dest: *[h]a) (n: i64) (value: i64 -> a) : *[h]a =
  reduce_by_index dest op ne (map (key h) (iota n)) (map value (iota n))

-- ==
-- entry: counts sums products argmax quadruples stores
-- input { 80000i64 3000i64 } output { true }
-- input { 8192i64 3000i64 } output { true }
-- input { 8193i64 1i64 } output { true }
-- input { 0i64 100i64 } output { true }
-- input { 100i64 0i64 } output { true }
-- compiled input { 1000000i64 2500i64 } output { true }

entry counts (n: i64) (h: i64) : bool =
  let start () = map (\b -> i32.i64 (b % 5)) (iota h)
  let found = by_hist (+) 0i32 (start ()) n (const 1)
  in and (map2 (==) found (by_loop (+) (start ()) n (const 1)))

entry sums (n: i64) (h: i64) : bool =
  let value i = i32.i64 (i & 15) - 8
  let found = by_hist (+) 0i32 (replicate h 3) n value
  in and (map2 (==) found (by_loop (+) (replicate h 3) n value))

entry products (n: i64) (h: i64) : bool =
  let value i = i32.i64 (i & 6) + 1
  let found = by_hist (*) 1i32 (replicate h 5) n value
  in and (map2 (==) found (by_loop (*) (replicate h 5) n value))

entry argmax (n: i64) (h: i64) : bool =
  let larger (i: i32, x: i32) (j: i32, y: i32) = if x > y || (x == y && i < j) then (i, x) else (j, y)
  let value i = (i32.i64 i, i32.i64 ((i * 131) & 1023))
  let found = by_hist larger (i32.highest, i32.lowest) (replicate h (7, 500)) n value
  in and (map2 (==) found (by_loop larger (replicate h (7, 500)) n value))

entry quadruples (n: i64) (h: i64) : bool =
  let plus (a: i32, b: i32, c: i32, d: i32) (e: i32, f: i32, g: i32, i: i32) = (a + e, i32.max b f, c * g, d ^ i)
  let value i = (i32.i64 i, i32.i64 ((i * 131) & 1023), i32.i64 (i & 2) + 1, i32.i64 (i * i))
  let found = by_hist plus (0, i32.lowest, 1, 0) (replicate h (1, 500, 2, 9)) n value
  in and (map2 (==) found (by_loop plus (replicate h (1, 500, 2, 9)) n value))

-- What is stored beside is stored once.
entry stores (n: i64) (h: i64) : bool =
  let (keys, values) = unzip (tabulate n (\i -> (key h i, i32.i64 (i & 15))))
  let found = reduce_by_index (replicate h 0i32) (+) 0 keys values
  in i32.sum values == i32.sum (tabulate n (\i -> i32.i64 (i & 15)))
     && and (map2 (==) found (by_loop (+) (replicate h 0) n (\i -> i32.i64 (i & 15))))
