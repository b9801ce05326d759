-- SPDX-License-Identifier: Apache-2.0
-- Bins that are rows, combined element by element, and a histogram with two indices.

-- ==
-- entry: rows
-- input { [0i64, 1i64, 0i64] [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] } output { [[6i32, 8i32], [3i32, 4i32]] }
entry rows [n] [m] (is: [n]i64) (vs: [n][m]i32) : [2][m]i32 =
  reduce_by_index (replicate 2 (replicate m 0)) (map2 (+)) (replicate m 0) is vs

-- ==
-- entry: in_two_dimensions
-- input { [0i64, 1i64, 0i64, 2i64] [1i64, 0i64, 1i64, 0i64] } output { [[0i32, 2i32], [1i32, 0i32]] }
entry in_two_dimensions [n] (is: [n]i64) (js: [n]i64) : [2][2]i32 =
  reduce_by_index_2d (replicate 2 (replicate 2 0)) (+) 0 (zip is js) (replicate n 1)

-- Operators on rows, with few and with many bins: vectors along the rows.
-- ==
-- entry: along_rows
-- input { 7i64 1000i64 33i64 } output { true }
-- input { 5000i64 300i64 64i64 } output { true }
-- input { 3i64 5000i64 1i64 } output { true }
-- input { 4i64 0i64 9i64 } output { true }
entry along_rows (k: i64) (m: i64) (l: i64) : bool =
  let is = map (\i -> (i * 7919) % (k + 2) - 1) (iota m)
  let vs = tabulate_2d m l (\i j -> i32.i64 ((i * 13 + j * 7) % 11) - 5)
  let got = reduce_by_index (replicate k (replicate l 0)) (map2 (+)) (replicate l 0) is vs
  let expected =
    loop acc = replicate k (replicate l 0) for i < m do
      if is[i] < 0 || is[i] >= k then acc
      else let row = map2 (+) acc[is[i]] vs[i] in acc with [is[i]] = row
  in and (map2 (\a b -> and (map2 (==) a b)) got expected)
