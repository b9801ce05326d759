-- SPDX-License-Identifier: Apache-2.0
-- Rows that are added to rows: lengths that are a multiple of four and others, rows outside, no rows, several at once, integers.

-- ==
-- entry: floats doubles integers both
-- input { 0i64 3i64 40i64 } output { true }
-- input { 50i64 0i64 40i64 } output { true }
-- input { 50i64 7i64 0i64 } output { true }
-- input { 50i64 7i64 31i64 } output { true }
-- input { 50i64 7i64 32i64 } output { true }
-- input { 50i64 7i64 35i64 } output { true }
-- compiled input { 3000i64 11i64 64i64 } output { true }
-- compiled input { 3000i64 11i64 101i64 } output { true }
def key (k: i64) (i: i64) = (i * 13) % (k + 2) - 1
def value (i: i64) (j: i64) = (i * 5 + j * 3) % 17

def wanted (n: i64) (k: i64) (j: i64) (b: i64) = loop sum = 1 for i < n do if key k i == b then sum + value i j else sum

-- Sums of small whole numbers are exact.
entry floats (n: i64) (k: i64) (d: i64) : bool =
  let rows = tabulate_2d n d (\i j -> f32.i64 (value i j))
  let sums = reduce_by_index (replicate k (replicate d 1f32)) (map2 (+)) (replicate d 0) (tabulate n (key k)) rows
  in and (flatten (tabulate_2d k d (\b j -> sums[b, j] == f32.i64 (wanted n k j b))))

entry doubles (n: i64) (k: i64) (d: i64) : bool =
  let rows = tabulate_2d n d (\i j -> f64.i64 (value i j))
  let sums = reduce_by_index (replicate k (replicate d 1f64)) (map2 (+)) (replicate d 0) (tabulate n (key k)) rows
  in and (flatten (tabulate_2d k d (\b j -> sums[b, j] == f64.i64 (wanted n k j b))))

entry integers (n: i64) (k: i64) (d: i64) : bool =
  let rows = tabulate_2d n d (\i j -> i32.i64 (value i j))
  let sums = reduce_by_index (replicate k (replicate d 1i32)) (map2 (+)) (replicate d 0) (tabulate n (key k)) rows
  in and (flatten (tabulate_2d k d (\b j -> sums[b, j] == i32.i64 (wanted n k j b))))

-- Two histograms of the same rows, one of which is a part of them that begins anywhere.
entry both (n: i64) (k: i64) (d: i64) : bool =
  let rows = tabulate_2d n (d + 1) (\i j -> f32.i64 (value i (j - 1)))
  let part = map (\row -> row[1:] :> [d]f32) rows
  let keys = tabulate n (key k)
  let sums = reduce_by_index (replicate k (replicate d 1f32)) (map2 (+)) (replicate d 0) keys part
  let most = reduce_by_index (replicate k (replicate d 1i64)) (map2 i64.max) (replicate d i64.lowest) keys
                             (map (map i64.f32) part)
  let largest (b: i64) (j: i64) = loop most = 1 for i < n do if key k i == b then i64.max most (value i j) else most
  in and (flatten (tabulate_2d k d (\b j -> sums[b, j] == f32.i64 (wanted n k j b) && most[b, j] == largest b j)))
