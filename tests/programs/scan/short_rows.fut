-- SPDX-License-Identifier: Apache-2.0
-- Rows of a few elements, several of which lie in one register.
-- ==
-- entry: sums
-- input { empty([0][3]i32) } output { empty([0][3]i32) }
-- input { empty([3][0]i32) } output { empty([3][0]i32) }
-- input { [[1, 2, 3], [4, 5, 6], [-1, -1, -1]] } output { [[1, 3, 6], [4, 9, 15], [-1, -2, -3]] }
-- random input { [1000][1]i32 } auto output
-- random input { [1001][2]i32 } auto output
-- random input { [2777][3]i32 } auto output
-- random input { [500][7]i32 } auto output
-- random input { [513][8]i32 } auto output
-- random input { [300][13]i32 } auto output
-- random input { [129][16]i32 } auto output
-- random input { [7][17]i32 } auto output
-- random input { [1000][23]i32 } auto output
-- random input { [100][24]i32 } auto output
entry sums [n] [m] (xs: [n][m]i32) : [n][m]i32 = map (scan (+) 0) xs

-- ==
-- entry: bytes
-- random input { [1000][1]u8 } auto output
-- random input { [700][5]u8 } auto output
-- random input { [333][23]u8 } auto output
entry bytes [n] [m] (xs: [n][m]u8) : ([n][m]u8, [n][m]u8) =
  (map (scan u8.max 0) xs, map (scan u8.min 255) xs)

-- ==
-- entry: words
-- random input { [1000][1]i16 } auto output
-- random input { [700][11]i16 } auto output
-- random input { [333][22]i16 } auto output
entry words [n] [m] (xs: [n][m]i16) : ([n][m]i16, [n][m]i16, [n][m]i16) =
  (map (scan (*) 1) xs, map (scan (&) (-1)) xs, map (scan i16.min i16.highest) xs)

-- Longer words, computed first; two scans of one row.
-- ==
-- entry: computed
-- random input { [1000][1]i32 [1000][1]i32 } auto output
-- random input { [999][6]i32 [999][6]i32 } auto output
-- random input { [100][21]i32 [100][21]i32 } auto output
entry computed [n] [m] (xs: [n][m]i32) (ys: [n][m]i32) : ([n][m]i64, [n][m]i32) =
  map2 (\x y -> scan (\(a, b) (c, d) -> (a + c, b ^ d)) (0, 0)
                     (map2 (\a b -> (3 * i64.i32 a + i64.i32 b, a | b)) x y)
                |> unzip)
       xs ys
  |> unzip

-- The point itself takes part, or an array that is not dense: these are scanned row by row.
-- ==
-- entry: others
-- random input { [200][9]i32 } auto output
entry others [n] [m] (xs: [n][m]i32) : ([n][m]i32, [n][]i32) =
  ( map2 (\x i -> scan (+) 0 (map2 (\y j -> y + i32.i64 (i * j)) x (iota m))) xs (iota n)
  , map (\x -> scan (+) 0 x[1:]) xs
  )
