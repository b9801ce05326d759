-- SPDX-License-Identifier: Apache-2.0
-- Operators that choose: bins lie in the device's memory, and points look at them first.  The tuning file wants that for few bins, too.
def hash (x: u32) : u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)
def keys (n: i64) (h: i64) (often: i64) =
  tabulate n (\i -> let r = i64.u32 (hash (u32.i64 i)) in if r % 8 < often then h / 3 else r / 8 % (h + 2) - 1)
def value (i: i64) = i32.u32 (hash (u32.i64 (i + 77)) % 1000)
-- ==
-- entry: argmax second least magnitude both flat stores
-- input { 20000i64 900i64 0i64 } auto output
-- input { 20000i64 70i64 5i64 } auto output
-- input { 9000i64 1i64 8i64 } auto output
-- input { 20000i64 100000i64 6i64 } auto output
-- input { 0i64 10i64 6i64 } auto output
-- input { 100i64 0i64 6i64 } auto output
-- compiled input { 300000i64 5000i64 7i64 } auto output
entry argmax (n: i64) (h: i64) (o: i64) : ([h]i32, [h]i32) =
  let op (a: i32, i: i32) (b, j) = if a > b || (a == b && i < j) then (a, i) else (b, j)
  in reduce_by_index (replicate h (-1, i32.highest)) op (i32.lowest, i32.highest) (keys n h o) (tabulate n (\i -> (value i, i32.i64 i))) |> unzip
-- Components are chosen each for itself.
entry second (n: i64) (h: i64) (o: i64) : ([h]i32, [h]i16) =
  let op (a: i32, b: i16) (c, d) = if a == c then (a, i16.max b d) else if a < c then (c, d) else (a, b)
  in reduce_by_index (replicate h (500, 3)) op (i32.lowest, i16.lowest) (keys n h o) (tabulate n (\i -> (value i, i16.i64 (i % 1000)))) |> unzip
entry least (n: i64) (h: i64) (o: i64) : [h]f32 =
  reduce_by_index (replicate h 990) f32.min f32.inf (keys n h o) (tabulate n (\i -> f32.i32 (value i)))
-- Bins narrower than a word.
entry magnitude (n: i64) (h: i64) (o: i64) : [h]i16 =
  let op (a: i16) (b: i16) = if i16.abs a > i16.abs b || (i16.abs a == i16.abs b && a > b) then a else b
  in reduce_by_index (replicate h 5) op 0 (keys n h o) (tabulate n (\i -> i16.i32 (value i) - 500))
entry both (n: i64) (h: i64) (o: i64) : ([h]f32, [h]f64) =
  let ks = keys n h o
  in (reduce_by_index (replicate h 990) f32.min f32.inf ks (tabulate n (\i -> f32.i32 (value i))),
      reduce_by_index (replicate h 5) f64.max (-f64.inf) (map (+ 1) ks) (tabulate n (\i -> f64.i32 (value i))))
entry flat (n: i64) (h: i64) (o: i64) : [h][2]f32 =
  reduce_by_index_2d (replicate h (replicate 2 1)) f32.max (-f32.inf) (map (\k -> (k, k & 1)) (keys n h o)) (tabulate n (\i -> f32.i64 (i % 977)))
entry stores (n: i64) (h: i64) (o: i64) : ([h]f32, [n]i64) =
  let ks = keys n h o
  in (reduce_by_index (replicate h 990) f32.min f32.inf ks (tabulate n (\i -> f32.i32 (value i))), map (* 3) ks)
-- NaN is no number: others stay.
-- ==
-- entry: not_a_number
-- input { 30000i64 } output { [29997f32, 29998f32] [0f32, 1f32] }
entry not_a_number (n: i64) : ([2]f32, [2]f32) =
  let value i = if i % 3 == 2 then f32.nan else f32.i64 i
  let bins = map (% 2) (map (\i -> if i % 3 == 2 then i else i % 3) (iota n))
  in (hist f32.max (-f32.inf) 2 bins (map value (iota n)), hist f32.min f32.inf 2 bins (map value (iota n)))
