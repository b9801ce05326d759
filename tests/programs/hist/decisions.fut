-- SPDX-License-Identifier: Apache-2.0
-- Operators that keep what is in the bin or replace it, by decisions that follow each other, compared with a loop.
def update 'a [h] (op: a -> a -> a) (acc: *[h]a) (k: i64) (v: a) : *[h]a =
  if k >= 0 && k < h then let old = copy acc[k] in acc with [k] = copy (op old v) else acc
def by_loop 'a [h] [n] (op: a -> a -> a) (dest: *[h]a) (keys: [n]i64) (values: [n]a) : *[h]a =
  loop acc = dest for i < n do update op acc keys[i] (copy values[i])
def keys (n: i64) (h: i64) : [n]i64 = tabulate n (\i -> (i * 7919 + i / 5) % (h + 2) - 1)

-- The larger value, then the smaller index: three decisions.
-- ==
-- entry: largest nearest spans worst
-- input { 0i64 5i64 } output { true }
-- input { 2000i64 0i64 } output { true }
-- input { 2000i64 7i64 } output { true }
-- input { 3000i64 5000i64 } output { true }
-- compiled input { 100003i64 300i64 } output { true }
-- compiled input { 400000i64 1500000i64 } output { true }
entry largest (n: i64) (h: i64) : bool =
  let op (i: i32, x: i32) (j: i32, y: i32) =
    if x > y then (i, x) else if y > x then (j, y) else if i < j then (i, x) else (j, y)
  let values = tabulate n (\i -> (i32.i64 i, i32.i64 (i * 31 % 97)))
  let none = (i32.highest, i32.lowest)
  let found = hist op none h (keys n h) values
  in and (map2 (==) found (by_loop op (replicate h none) (keys n h) values))

-- The replaced side first, connectives inside, floats that are only compared.
entry nearest (n: i64) (h: i64) : bool =
  let op (x: f32, i: i64, j: i64) (y: f32, k: i64, l: i64) =
    if y < x || (y == x && k < i) then (y, k, l)
    else if y == x && k == i && l < j then (y, k, l) else (x, i, j)
  let values = tabulate n (\i -> (f32.i64 (i * 37 % 101) - 50, i % 3, i))
  let none = (f32.inf, i64.highest, i64.highest)
  let found = hist op none h (keys n h) values
  in and (map2 (==) found (by_loop op (replicate h none) (keys n h) values))

-- Decisions in which a side is neither of both.
entry spans (n: i64) (h: i64) : bool =
  let op (a: i32, b: i32) (c: i32, d: i32) =
    if c >= a && d <= b then (a, b) else if a >= c && b <= d then (c, d) else (i32.min a c, i32.max b d)
  let values = tabulate n (\i -> let x = i32.i64 (i * 53 % 89) in (x, x + i32.i64 (i % 11)))
  let none = (i32.highest, i32.lowest)
  let found = hist op none h (keys n h) values
  in and (map2 (==) found (by_loop op (replicate h none) (keys n h) values))

-- One component of several decisions.
entry worst (n: i64) (h: i64) : bool =
  let op (a: i32) (b: i32) = if a & 1 > b & 1 then a else if a & 1 < b & 1 then b else if a > b then a else b
  let values = tabulate n (\i -> i32.i64 (i * 53 % 890))
  let found = hist op (-2) h (keys n h) values
  in and (map2 (==) found (by_loop op (replicate h (-2)) (keys n h) values))
