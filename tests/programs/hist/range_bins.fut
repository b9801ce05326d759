-- SPDX-License-Identifier: Apache-2.0
-- A few times as many bins as fit the memory of a group: groups count ranges of them (the tuning file leaves little memory).
def hash (x: u32) : u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)
def keys (n: i64) (h: i64) = tabulate n (\i -> i64.u32 (hash (u32.i64 i)) % (h + 2) - 1)
-- ==
-- entry: add argmax quads flat
-- input { 20000i64 900i64 } auto output
-- input { 20000i64 1300i64 } auto output
-- compiled input { 300000i64 1300i64 } auto output
entry add (n: i64) (h: i64) : [h]i32 = reduce_by_index (tabulate h i32.i64) (+) 0 (keys n h) (tabulate n (\i -> i32.i64 (i % 7)))
entry argmax (n: i64) (h: i64) : ([h]i32, [h]i32) =
  let op (a: i32, i: i32) (b, j) = if a > b || (a == b && i < j) then (a, i) else (b, j)
  in reduce_by_index (replicate h (-1, i32.highest)) op (i32.lowest, i32.highest) (keys n h) (tabulate n (\i -> (i32.u32 (hash (u32.i64 i) % 100), i32.i64 i))) |> unzip
entry quads (n: i64) (h: i64) : ([h]i32, [h]i32, [h]i64) =
  let op (a: i32, i: i32, s: i64) (b, j, t) = if a > b then (a, i + j, s) else (b, i + j, t)
  in reduce_by_index (replicate h (-1, 0, 0)) op (i32.lowest, 0, 0) (keys n h) (tabulate n (\i -> (i32.i64 i, 1, i))) |> unzip3
entry flat (n: i64) (h: i64) : [h][2]i32 =
  reduce_by_index_2d (replicate h (replicate 2 0)) i32.max i32.lowest (map (\k -> (k, k & 1)) (keys n h)) (tabulate n (\i -> i32.i64 (i % 977)))
