-- SPDX-License-Identifier: Apache-2.0
-- More than 2^32 points where updates wait for each other, or points are sorted first, in rounds, because nothing is read. Only for GPUs: a core would take half a minute for each.
-- ==
-- tags { no_opencl no_cpu }
-- entry: largest
-- compiled input { 4294967301i64 3i64 } output { [2147483647i32, 0i32, 2147483647i32] [-2147483648i32, 65535i32, -2147483648i32] }
def larger (i: i32, x: i32) (j: i32, y: i32) =
  if x > y then (i, x) else if y > x then (j, y) else if i < j then (i, x) else (j, y)
entry largest (n: i64) (h: i64) : ([h]i32, [h]i32) =
  hist larger (i32.highest, i32.lowest) h (map (\i -> if i < 0 then i else h / 2) (iota n)) (map (\i -> (i32.i64 (i >> 16), i32.i64 (i & 0xffff))) (iota n))
  |> unzip
-- ==
-- entry: locked
-- compiled input { 4294967301i64 3i64 } output { [-2147483648i32, 65535i32, -2147483648i32] [9223372036854775807i64, 65535i64, 9223372036854775807i64] }
def first_largest (x: i32, i: i64) (y: i32, j: i64) = if x > y || (x == y && i < j) then (x, i) else (y, j)
entry locked (n: i64) (h: i64) : ([h]i32, [h]i64) =
  hist first_largest (i32.lowest, i64.highest) h (map (\i -> if i < 0 then i else h / 2) (iota n)) (map (\i -> (i32.i64 (i & 0xffff), i)) (iota n))
  |> unzip
-- ==
-- entry: many_bins
-- compiled input { 4294967301i64 200000i64 } output { 4294967301i64 21475i64 21474i64 }
entry many_bins (n: i64) (h: i64) : (i64, i64, i64) =
  let bins = hist (+) 0i64 h (map (% h) (iota n)) (replicate n 1)
  in (i64.sum bins, i64.maximum bins, i64.minimum bins)
