-- SPDX-License-Identifier: Apache-2.0
-- Products of matrices with few results and long sums: the sums are cut into parts.

-- ==
-- entry: columns
-- compiled random input { [5000][12]f64 [5000][22]f64 } auto output
-- compiled random input { [4097][9]f64 [4097][17]f64 } auto output
-- compiled random input { [4100][32]f64 [4100][8]f64 } auto output
-- input { [[1f64, 2f64]] [[3f64]] } output { [[3f64], [6f64]] }
entry columns [v] [a] [b] (x: [v][a]f64) (y: [v][b]f64) : [a][b]f64 =
  map (\xs -> map (\ys -> f64.sum (map2 (*) xs ys)) (transpose y)) (transpose x)

-- Several dimensions are rows together.
-- ==
-- entry: three together
-- compiled random input { [5000][4]f64 [5000][22]f64 [5000][3]f64 } auto output
-- compiled random input { [300][4]f64 [300][30]f64 [300][3]f64 } auto output
-- compiled random input { [9][4]f64 [9][8]f64 [9][3]f64 } auto output
entry three [b] [v] (x: [v][4]f64) (w: [v][b]f64) (s: [v][3]f64) : [3][4][b]f64 =
  tabulate_3d 3 4 b (\r c j -> f64.sum (map3 (\x w s -> x[c] * (w[j] * s[r])) x w s))

entry together [b] [v] (x: [v][4]f64) (w: [v][b]f64) (s: [v][3]f64) : [3][2][4][b]f64 =
  map (\q -> map (\t -> map (\c -> map (\j -> f64.sum (map3 (\x w s -> x[c] * w[j] * s[q] + f64.i64 (t + q) * w[j]) x w s)) (iota b)) (iota 4)) (iota 2)) (iota 3)

-- Whole numbers, and an operator whose order matters.
-- ==
-- entry: whole in_order
-- compiled random input { [6000][13]i32 [6000][19]i32 } auto output
-- compiled random input { [3][13]i32 [3][19]i32 } auto output
entry whole [v] [a] [b] (x: [v][a]i32) (y: [v][b]i32) : [a][b]i32 =
  map (\xs -> map (\ys -> i32.sum (map2 (*) xs ys)) (transpose y)) (transpose x)

entry in_order [v] [a] [b] (x: [v][a]i32) (y: [v][b]i32) : ([a][b]i32, [a][b]i32) =
  let after (a, b) (c, d) = (a * c, b * c + d)
  let fold xs ys = reduce after (1, 0) (map2 (\x y -> (x | 1, y)) xs ys)
  let (p, q) = unzip (flatten (map (\xs -> map (\ys -> fold xs ys) (transpose y)) (transpose x)))
  in (unflatten p, unflatten q)
