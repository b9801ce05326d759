-- SPDX-License-Identifier: Apache-2.0
-- Rows whose beginnings a scan finds, just before they are reduced: on devices they are segments, whatever their lengths.
-- ==
-- entry: sums
-- input { [2i64, 0i64, 3i64] [1f64, 2f64, 3f64, 4f64, 5f64] } output { [3f64, 0f64, 12f64] }
-- input { empty([0]i64) empty([0]f64) } output { empty([0]f64) }
-- input { [0i64, 0i64] empty([0]f64) } output { [0f64, 0f64] }
-- input { [2i64, 4i64] [1f64, 2f64, 3f64] } error: out of bounds
-- ==
-- entry: skewed
-- input { 1000i64 7i64 } output { 0i64 }
-- input { 5i64 20000i64 } output { 0i64 }
-- input { 3000i64 20000i64 } output { 0i64 }
-- ==
-- entry: kept
-- input { [1i64, -1i64, 2i64] [[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]] } output { [3i64, 22i64] }
-- input { empty([0]i64) empty([0][2]i64) } output { empty([0]i64) }
entry sums [n][m] (lengths: [n]i64) (xs: [m]f64): [n]f64 =
  let starts = map2 (-) (scan (+) 0 lengths) lengths
  in map2 (\start length -> f64.sum xs[start:start + length]) starts lengths

-- One long row among short ones; how many rows are not added up rightly.
entry skewed (n: i64) (long: i64): i64 =
  let lengths = tabulate n (\i -> if i == n / 2 then long else i % 3)
  let starts = map2 (-) (scan (+) 0 lengths) lengths
  let xs = iota (i64.sum lengths)
  let sums = map2 (\start length -> i64.sum xs[start:start + length]) starts lengths
  in i64.sum (map3 (\sum start length -> i64.bool (sum != length * start + length * (length - 1) / 2)) sums starts lengths)

entry kept [n][m] (keys: [n]i64) (rows: [n][m]i64): []i64 =
  map (\i -> i64.sum (map (* keys[i]) rows[i])) (filter (\i -> keys[i] > 0) (iota n))
