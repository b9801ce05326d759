-- SPDX-License-Identifier: Apache-2.0
-- Histograms with few and with many bins beside their points: every way of computing them.
-- ==
-- entry: sums
-- random input { 1i64 [100003]i32 } auto output
-- random input { 7i64 [100003]i32 } auto output
-- random input { 300i64 [100003]i32 } auto output
-- random input { 2000i64 [200003]i32 } auto output
-- random input { 30000i64 [100003]i32 } auto output
-- random input { 300000i64 [100003]i32 } auto output
-- random input { 300000i64 [103]i32 } auto output
-- random input { 0i64 [100003]i32 } auto output
entry sums [n] (k: i64) (xs: [n]i32) : [k]i32 =
  hist (+) 0 k (map (\x -> i64.i32 x %% (k + 3)) xs) xs

-- Saturating at 255.
-- ==
-- entry: saturating
-- random input { 16i64 [100003]u8 } auto output
-- random input { 60000i64 [100003]u8 } auto output
entry saturating [n] (k: i64) (xs: [n]u8) : [k]u8 =
  hist (\x y -> u8.u32 (u32.min 255 (u32.u8 x + u32.u8 y))) 0 k
       (map2 (\x i -> (i64.u8 x * i) %% k) xs (iota n)) (map (& 3) xs)

-- The largest value of a bin and where it is.
-- ==
-- entry: largest
-- random input { 10i64 [50003]i16 } auto output
-- random input { 40000i64 [50003]i16 } auto output
entry largest [n] (k: i64) (xs: [n]i16) : ([k]i16, [k]i64) =
  let later (x, i) (y, j) = if x > y || (x == y && i > j) then (x, i) else (y, j: i64)
  in unzip (hist later (i16.lowest, -1) k (map2 (\x i -> (i64.i16 x * i) %% k) xs (iota n)) (zip xs (iota n)))

-- Two dimensions.
-- ==
-- entry: plane
-- random input { 5i64 7i64 [100003]i32 } auto output
-- random input { 300i64 200i64 [100003]i32 } auto output
entry plane [n] (a: i64) (b: i64) (xs: [n]i32) : [a][b]i32 =
  reduce_by_index_2d (replicate a (replicate b 1)) (+) 0
    (map (\x -> (i64.i32 x %% (a + 1), i64.i32 (x / 7) %% (b + 1))) xs) xs

-- Whole rows are added.
-- ==
-- entry: vectors
-- random input { 6i64 [20003][4]i32 } auto output
-- random input { 30000i64 [20003][4]i32 } auto output
entry vectors [n] [m] (k: i64) (xs: [n][m]i32) : [k][m]i32 =
  hist (map2 (+)) (replicate m 0) k (map (\r -> i64.i32 r[0] %% k) xs) xs

-- A histogram for each row.
-- ==
-- entry: batch
-- random input { 9i64 [3][20003]i32 } auto output
-- random input { 9i64 [40][203]i32 } auto output
entry batch [n] [m] (k: i64) (xs: [n][m]i32) : [n][k]i32 =
  map (\r -> hist (+) 0 k (map (\x -> i64.i32 x %% k) r) r) xs
