-- SPDX-License-Identifier: Apache-2.0
-- Nests like a matrix product, at sizes that are no multiples of any tile.
-- ==
-- entry: product
-- random input { [1][1]i32 [1][1]i32 } auto output
-- random input { [4][8]i32 [8][8]i32 } auto output
-- random input { [37][300]i32 [300][29]i32 } auto output
-- random input { [65][9]i32 [9][133]i32 } auto output
-- random input { [5][0]i32 [0][17]i32 } auto output
-- random input { [0][20]i32 [20][17]i32 } auto output
entry product [n] [m] [q] (a: [n][q]i32) (b: [q][m]i32) : [n][m]i32 =
  map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a

-- Both read along their rows; something is done before and after.
-- ==
-- entry: scaled
-- random input { [37][270]i64 [45][270]i64 [37][45]i64 3i64 } auto output
-- random input { [4][3]i64 [5][3]i64 [4][5]i64 3i64 } auto output
entry scaled [n] [m] [q] (a: [n][q]i64) (b: [m][q]i64) (c: [n][m]i64) (f: i64) : [n][m]i64 =
  map2 (\r cs -> map2 (\s x -> f * reduce (+) 0 (map2 (*) r s) - x) b cs) a c

-- Many products.
-- ==
-- entry: batched
-- random input { [3][19][40]i32 [3][40][21]i32 } auto output
entry batched [k] [n] [m] [q] (a: [k][n][q]i32) (b: [k][q][m]i32) : [k][n][m]i32 =
  map2 (\x y -> map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose y)) x) a b

-- Another semiring: the shortest way over one intermediate stop.
-- ==
-- entry: shortest
-- random input { [33][50]u16 [50][41]u16 } auto output
entry shortest [n] [m] [q] (a: [n][q]u16) (b: [q][m]u16) : [n][m]u16 =
  map (\r -> map (\c -> reduce u16.min u16.highest (map2 (u16.+) r c)) (transpose b)) a

-- Two accumulators: which row of b is next to each row of a, and how far it is.
-- ==
-- entry: nearest
-- random input { [40][20]i8 [30][20]i8 } auto output
entry nearest [n] [m] [q] (a: [n][q]i8) (b: [m][q]i8) : ([n]i64, [n]i64) =
  let distance (x: [q]i8) (y: [q]i8) = i64.sum (map2 (\u v -> let d = i64.i8 u - i64.i8 v in d * d) x y)
  in unzip (map (\x -> let ds = map (distance x) b
                       in reduce (\(d, i) (e, j) -> if d < e || (d == e && i < j) then (d, i) else (e, j))
                                 (i64.highest, -1) (zip ds (iota m))) a)

-- Two sums in one loop, with values of the indices, the depth counted in another type.
-- ==
-- entry: moments
-- random input { [20][35]i32 [24][35]i32 35i32 } auto output
-- random input { [20][35]i32 [24][35]i32 7i32 } auto output
entry moments [n] [m] [q] (a: [n][q]i32) (b: [m][q]i32) (deep: i32) : [n][m](i32, i64) =
  tabulate_2d n m (\i j ->
    loop (s, t) = (i32.i64 (i - j), 1i64) for k < i32.min deep (i32.i64 q) do
      #[unsafe] let x = a[i, i64.i32 k] let y = b[j, i64.i32 k]
      in (s + x * y, t + i64.i32 (x - y) * (i + 2 * j + i64.i32 k)))

-- Weights along the inner dimension, and a value used on both sides.
-- ==
-- entry: weighted
-- random input { [21][33]i32 [33]i32 } auto output
entry weighted [n] [q] (a: [n][q]i32) (w: [q]i32) : [n][n]i32 =
  map (\x -> map (\y -> i32.sum (map3 (\u v c -> u * v * c) x y w)) a) a
