-- SPDX-License-Identifier: Apache-2.0
-- More bins than caches hold, and points whose bins are near those of the points before them, or few, or not.

-- Keys in order: bin b gets the points of a range.
-- ==
-- entry: in_order
-- compiled input { 2000000i64 4000000i64 } output { true }
-- compiled input { 2000000i64 3000017i64 } output { true }
def bound (n: i64) (h: i64) (b: i64) : i64 = (b * n + h - 1) / h
entry in_order (n: i64) (h: i64) : bool =
  let counts = hist (+) 0i32 h (map (\i -> i * h / n) (iota n)) (replicate n 1)
  in and (map2 (\b c -> i64.i32 c == bound n h (b + 1) - bound n h b) (iota h) counts)

-- Every thousandth bin, points outside between them; the destination keeps what it has.
-- ==
-- entry: few_used
-- compiled input { 1500000i64 3000000i64 } output { 3001500000i64 1000i32 }
entry few_used (n: i64) (h: i64) : (i64, i32) =
  let key i = if i % 2 == 0 then i / 2 * 7919 % (h / 1000) * 1000 else if i % 4 == 1 then -1 - i else h + i
  let found = reduce_by_index (replicate h 1000) (+) 0i32 (map key (iota n)) (replicate n 2)
  in (i64.sum (map i64.i32 found), i32.minimum found)

-- Bins of two components, many points in few of them and the others anywhere.
-- ==
-- entry: largest
-- compiled input { 1200000i64 2000000i64 } output { true }
entry largest (n: i64) (h: i64) : bool =
  let key i = if i % 3 == 0 then i * 7919 % h else i % 7
  let better (a: i32, x: i64) (b, y) = if a > b || (a == b && x < y) then (a, x) else (b, y)
  let value i = i32.i64 (i * 31 % 1009)
  let found = hist better (i32.lowest, i64.highest) h (map key (iota n)) (map (\i -> (value i, i)) (iota n))
  in and (map2 (\b (v, i) -> i == i64.highest || (key i == b && value i == v)) (iota h) found) && (found[1]).0 == 1008

-- Nearly all points have the bin of the one before; the destination keeps what it has.
-- ==
-- entry: long_runs
-- compiled input { 1500000i64 1000000i64 } output { true }
-- compiled input { 1500001i64 3000000i64 } output { true }
entry long_runs (n: i64) (h: i64) : bool =
  let key i = i / 1000 * 7919 % (h + 5)
  let found = reduce_by_index (map i32.i64 (iota h)) (+) 0i32 (map key (iota n)) (map (\i -> i32.i64 (i & 3)) (iota n))
  let least = reduce_by_index (replicate h 100i32) i32.min 100 (map key (iota n)) (map (\i -> i32.i64 (i / 1000)) (iota n))
  let runs = (n + 999) / 1000
  let sum r = i32.sum (map (\i -> i32.i64 (i & 3)) (map (+ r * 1000) (iota (i64.min 1000 (n - r * 1000)))))
  in i32.sum found == i32.sum (map i32.i64 (iota h)) + i32.sum (map (\r -> if key (r * 1000) < h then sum r else 0) (iota runs))
     && and (map (\r -> let k = key (r * 1000) in k >= h || (found[k] >= i32.i64 k + sum r && least[k] <= i32.i64 (i64.min 100 r))) (iota runs))

-- No key is a bin.
-- ==
-- entry: none
-- compiled input { 1200000i64 3000000i64 } output { 0i64 }
entry none (n: i64) (h: i64) : i64 =
  i64.sum (hist (+) 0 h (map (\i -> i64.highest - i) (iota n)) (replicate n 1))
