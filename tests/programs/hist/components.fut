-- SPDX-License-Identifier: Apache-2.0
-- Operators whose components have nothing to do with each other, or only some of them.

def hash (x: u32) : u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)
def keys (n: i64) (h: i64) = tabulate n (\i -> i64.u32 (hash (u32.i64 i)) % (h + 2) - 1)
-- Sums of these are exact.
def small (i: i64) : f32 = f32.i64 (i % 16)

-- Sums, in few bins and in many, that begin with values of the destination.
-- ==
-- entry: sums
-- input { 0i64 4i64 } auto output
-- input { 10i64 0i64 } auto output
-- input { 1000i64 3i64 } auto output
-- input { 5000i64 900i64 } auto output
-- compiled input { 300000i64 100i64 } auto output
-- compiled input { 1500000i64 200000i64 } auto output
entry sums (n: i64) (h: i64) : ([h]f32, [h]i32, [h]f64) =
  let add (a: f32, b: i32, c: f64) (d, e, f) = (a + d, b + e, c + f)
  in reduce_by_index (tabulate h (\b -> (small b, 1, 0.5))) add (0, 0, 0) (keys n h) (tabulate n (\i -> (small i, 2, f64.i64 (i % 8))))
     |> unzip3

-- The largest and where it is first, beside a sum and a smallest one.
-- ==
-- entry: mixed
-- input { 10i64 4i64 } auto output
-- input { 5000i64 900i64 } auto output
-- compiled input { 300000i64 1000i64 } auto output
-- compiled input { 1500000i64 100000i64 } auto output
entry mixed (n: i64) (h: i64) : ([h]i32, [h]i64, [h]f32, [h]i16) =
  let op (a: i32, i: i64, s: f32, m: i16) (b, j, t, n) =
    let (a, i) = if a > b || (a == b && i < j) then (a, i) else (b, j)
    in (a, i, s + t, i16.min m n)
  let points = tabulate n (\i -> (i32.u32 (hash (u32.i64 i) % 100), i, small i, i16.i64 (i % 1000)))
  in reduce_by_index (replicate h (0, i64.highest, 0, i16.highest)) op (0, i64.highest, 0, i16.highest) (keys n h) points
     |> unzip4

-- All in one bin, in memory of the device: there are too few points for anything else.
-- ==
-- entry: one_bin
-- input { 100i64 } auto output
-- input { 20000i64 } auto output
entry one_bin (n: i64) : (i32, i32, f32, f64) =
  let h = 1000000
  let add (a: i32, b: i32, c: f32, d: f64) (e, f, g, i) = (a + e, i32.max b f, c + g, d + i)
  let bins = reduce_by_index (replicate h (0, 0, 0, 0)) add (0, i32.lowest, 0, 0) (replicate n 77)
                             (tabulate n (\i -> (1, i32.i64 i, small i, f64.i64 i)))
  in bins[77]

-- Each point counts in two places.
-- ==
-- entry: twice
-- input { 5000i64 70i64 } auto output
-- compiled input { 300000i64 1000i64 } auto output
entry twice (n: i64) (h: i64) : ([h]f32, [h]i64) =
  let add (a: f32, b: i64) (c, d) = (a + c, b + d)
  let bins = reduce_by_index (replicate h (0, 0)) add (0, 0) (keys n h) (tabulate n (\i -> (small i, i)))
  in reduce_by_index bins add (0, 0) (map (\k -> h - 1 - k) (keys n h)) (tabulate n (\i -> (-small i, 1))) |> unzip
