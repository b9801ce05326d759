-- SPDX-License-Identifier: Apache-2.0
-- Histograms and scatters inside maps, and histograms of rows.

-- ==
-- entry: histograms
-- input { [[0i64, 1i64, 1i64], [2i64, 2i64, 7i64]] } output { [[1i32, 2i32, 0i32], [0i32, 0i32, 2i32]] }
-- input { empty([0][3]i64) } output { empty([0][3]i32) }
-- input { empty([2][0]i64) } output { [[0i32, 0i32, 0i32], [0i32, 0i32, 0i32]] }
entry histograms [n] [m] (xss: [n][m]i64) : [n][3]i32 =
  map (\row -> reduce_by_index (replicate 3 0) (+) 0 row (map (const 1) row)) xss

-- ==
-- entry: many_histograms
-- input { 1000i64 40i64 } output { true }
-- input { 3i64 100000i64 } output { true }
entry many_histograms (n: i64) (m: i64) : bool =
  let xss = tabulate_2d n m (\i j -> (i + j) % 5)
  let hs = map (\row -> hist (+) 0 5 row (map (const 1i64) row)) xss
  in and (map (\h -> i64.sum h == m && h[0] * 5 >= m - 5) hs)

-- The destination is the row of an input, and bins are computed.
-- ==
-- entry: onto
-- input { [[10i32, 20i32], [30i32, 40i32]] [[0i64, 1i64, 1i64], [1i64, 3i64, -1i64]] } output { [[11i32, 24i32], [30i32, 41i32]] }
entry onto [n] [m] [k] (ds: [n][k]i32) (is: [n][m]i64) : [n][k]i32 =
  map2 (\d row -> reduce_by_index (copy d) (+) 0 row (map (\j -> i32.i64 j + 1) (indices row) |> map (\x -> if x == 3 then 3 else 1))) ds is

-- ==
-- entry: scatters
-- input { [[0i64, 1i64], [1i64, 5i64]] [[7i32, 8i32], [9i32, 1i32]] } output { [[7i32, 8i32, 0i32], [0i32, 9i32, 0i32]] }
entry scatters [n] [m] (is: [n][m]i64) (vs: [n][m]i32) : [n][3]i32 =
  map2 (\i v -> scatter (replicate 3 0) i v) is vs

-- Sums of the rows of each class.
-- ==
-- entry: row_sums
-- input { [0i64, 1i64, 0i64, 9i64] [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32], [7i32, 8i32]] } output { [[6i32, 8i32], [3i32, 4i32]] }
-- input { empty([0]i64) empty([0][2]i32) } output { [[0i32, 0i32], [0i32, 0i32]] }
entry row_sums [n] [m] (is: [n]i64) (xss: [n][m]i32) : [2][m]i32 =
  reduce_by_index (replicate 2 (replicate m 0)) (map2 (+)) (replicate m 0) is xss

-- ==
-- entry: many_row_sums
-- input { 100000i64 7i64 } output { true }
-- input { 10i64 1000i64 } output { true }
entry many_row_sums (n: i64) (m: i64) : bool =
  let xss = tabulate_2d n m (\i j -> i + j)
  let sums = reduce_by_index (replicate 10 (replicate m 0)) (map2 (+)) (replicate m 0) (map (% 10) (iota n)) xss
  in i64.sum (map i64.sum sums) == n * (n - 1) / 2 * m + m * (m - 1) / 2 * n
