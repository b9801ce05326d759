-- SPDX-License-Identifier: Apache-2.0
-- Updates that are no instruction, where no other way fits (the tuning file wants that): groups have places for some bins, here fewer than there are.
def hash (x: u32) : u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)
def keys (n: i64) (h: i64) (often: i64) =
  tabulate n (\i -> let r = i64.u32 (hash (u32.i64 i)) in if r % 8 < often then h / 3 else r / 8 % (h + 2) - 1)
-- ==
-- entry: product saturating argmax quads both checked flat
-- input { 20000i64 900i64 0i64 } auto output
-- input { 20000i64 70i64 5i64 } auto output
-- input { 9000i64 1i64 8i64 } auto output
-- input { 20000i64 100000i64 6i64 } auto output
-- input { 0i64 10i64 6i64 } auto output
-- compiled input { 300000i64 5000i64 7i64 } auto output
entry product (n: i64) (h: i64) (o: i64) : [h]i32 =
  reduce_by_index (tabulate h i32.i64) (*) 1 (keys n h o) (tabulate n (\i -> i32.i64 (i % 7) * 2 + 1))
entry saturating (n: i64) (h: i64) (o: i64) : [h]i32 =
  reduce_by_index (tabulate h (\i -> i32.i64 (i % 5))) (\a b -> i32.min (a + b) 999) 0 (keys n h o) (tabulate n (\i -> i32.i64 (i % 7)))
entry argmax (n: i64) (h: i64) (o: i64) : ([h]i32, [h]i32) =
  let op (a: i32, i: i32) (b, j) = if a > b || (a == b && i < j) then (a, i) else (b, j)
  in reduce_by_index (replicate h (-1, i32.highest)) op (i32.lowest, i32.highest) (keys n h o)
                     (tabulate n (\i -> (i32.u32 (hash (u32.i64 i) % 100), i32.i64 i))) |> unzip
entry quads (n: i64) (h: i64) (o: i64) : ([h]i32, [h]i32, [h]i64) =
  let op (a: i32, i: i32, s: i64) (b, j, t) = if a > b then (a, i + j, s) else (b, i + j, t)
  in reduce_by_index (replicate h (-1, 0, 0)) op (i32.lowest, 0, 0) (keys n h o) (tabulate n (\i -> (i32.i64 i, 1, i))) |> unzip3
-- Two histograms of the same points, one of them of instructions.
entry both (n: i64) (h: i64) (o: i64) : ([h]i32, [h]i32) =
  let ks = keys n h o
  in (reduce_by_index (replicate h 1) (*) 1 ks (map (\k -> i32.i64 (k & 3) + 1) ks), reduce_by_index (replicate h 0) (+) 0 (map (+ 1) ks) (replicate n 1))
-- Points that may fail.
entry checked (n: i64) (h: i64) (o: i64) : [h]i32 =
  let xs = tabulate 10 (\i -> i32.i64 i + 1)
  in reduce_by_index (replicate h 1) (*) 1 (keys n h o) (tabulate n (\i -> xs[i % 10]))
entry flat (n: i64) (h: i64) (o: i64) : [h][2]i32 =
  reduce_by_index_2d (replicate h (replicate 2 1)) (*) 1 (map (\k -> (k, k & 1)) (keys n h o)) (tabulate n (\i -> i32.i64 (i % 977)))
