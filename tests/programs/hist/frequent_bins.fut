-- SPDX-License-Identifier: Apache-2.0
-- Bins that come often, whose updates wait for each other: on devices each thread has places of its own for them.  The tuning file says that every bin
-- comes often which is among the first points of a group: few bins, ranges of bins, sorted points; more bins than places, and equal keys.
def hash (x: u32) : u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)
def keys (n: i64) (h: i64) (often: i64) =
  tabulate n (\i -> let r = i64.u32 (hash (u32.i64 i)) in if r % 8 < often then h / 3 else r / 8 % (h + 2) - 1)
-- ==
-- entry: product narrow pairs quads both stores
-- input { 40000i64 9i64 0i64 } auto output
-- input { 40000i64 700i64 5i64 } auto output
-- input { 20000i64 1i64 8i64 } auto output
-- input { 40000i64 12000i64 6i64 } auto output
-- input { 140000i64 30000i64 4i64 } auto output
-- input { 0i64 10i64 6i64 } auto output
-- input { 100i64 0i64 6i64 } auto output
-- compiled input { 300000i64 3000i64 7i64 } auto output
entry product (n: i64) (h: i64) (o: i64) : [h]i32 =
  reduce_by_index (tabulate h i32.i64) (*) 1 (keys n h o) (tabulate n (\i -> i32.i64 (i % 7) * 2 + 1))
entry narrow (n: i64) (h: i64) (o: i64) : [h]i8 =
  reduce_by_index (tabulate h i8.i64) (*) 1 (keys n h o) (tabulate n (\i -> i8.i64 (i % 7) * 2 + 1))
entry pairs (n: i64) (h: i64) (o: i64) : ([h]i32, [h]i32) =
  let op (a: i32, b: i32) (c, d) = (a * c, b * c + d * a)
  in reduce_by_index (replicate h (3, 5)) op (1, 0) (keys n h o) (tabulate n (\i -> (i32.i64 (i % 7) * 2 + 1, i32.i64 i))) |> unzip
-- Of two that are equally large, the smaller place: whatever comes first.
entry quads (n: i64) (h: i64) (o: i64) : ([h]i32, [h]i32, [h]i64) =
  let op (a: i32, i: i32, s: i64) (b, j, t) = if a > b || (a == b && s < t) then (a, i + j, s) else (b, i + j, t)
  in reduce_by_index (replicate h (-1, 0, i64.highest)) op (i32.lowest, 0, i64.highest) (keys n h o) (tabulate n (\i -> (i32.i64 (i % 1000), 1, i))) |> unzip3
-- Two histograms of the same points, one of them of instructions.
entry both (n: i64) (h: i64) (o: i64) : ([h]i32, [h]i32) =
  let ks = keys n h o
  in (reduce_by_index (replicate h 1) (*) 1 ks (map (\k -> i32.i64 (k & 3) + 1) ks), reduce_by_index (replicate h 0) (+) 0 (map (+ 1) ks) (replicate n 1))
-- What is counted is stored, too.
entry stores (n: i64) (h: i64) (o: i64) : ([h]i32, [n]i64) =
  let ks = keys n h o
  in (reduce_by_index (replicate h 1) (*) 1 ks (map (\k -> i32.i64 (k & 3) + 1) ks), map (* 3) ks)
