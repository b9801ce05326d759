-- SPDX-License-Identifier: Apache-2.0
-- Scans that are long enough to be cut into chunks, of every form.
-- ==
-- entry: sums
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [300]i32 } auto output
-- random input { [32577]i32 } auto output
-- random input { [200001]i32 } auto output
entry sums [n] (xs: [n]i32) : [n]i32 = scan (+) 0 xs

-- ==
-- entry: bytes
-- random input { [300017]u8 } auto output
entry bytes [n] (xs: [n]u8) : ([n]u8, [n]u8, [n]u8) =
  (scan (+) 0 xs, scan u8.max 0 xs, scan (^) 0 xs)

-- ==
-- entry: words
-- random input { [40003]i64 } auto output
entry words [n] (xs: [n]i64) : ([n]i64, [n]i64, [n]i64) =
  (scan (*) 1 (map (| 1) xs), scan i64.min i64.highest xs, scan (&) (-1) (map (| 0xffffffffffff) xs))

-- Not commutative: the composition of x -> a * x + b.
-- ==
-- entry: affine
-- random input { [100]i32 [100]i32 } auto output
-- random input { [70001]i32 [70001]i32 } auto output
entry affine [n] (as: [n]i32) (bs: [n]i32) : [n]i32 =
  map (.1) (scan (\(a, b) (c, d) -> (c * a, c * b + d)) (1, 0) (zip as bs))

-- What is done with the scanned values, and with others beside them.
-- ==
-- entry: after
-- random input { [70001]i32 } auto output
entry after [n] (xs: [n]i32) : ([n]i64, [n]bool) =
  unzip (map3 (\x s i -> (i64.i32 s * i, x > s)) xs (scan (+) 0 xs) (iota n))

-- Scans and a sum of the same array.
-- ==
-- entry: several
-- random input { [70001]i16 } auto output
entry several [n] (xs: [n]i16) : ([n]i16, [n]i16, i64) =
  (scan (+) 0 xs, scan i16.max i16.lowest xs, i64.sum (map i64.i16 xs))

-- 2×2 matrices.
-- ==
-- entry: matrices
-- random input { [10001][4]u32 } auto output
entry matrices [n] (xs: [n][4]u32) : [n]u32 =
  let mul (a: (u32, u32, u32, u32)) (b: (u32, u32, u32, u32)) =
    (a.0 * b.0 + a.1 * b.2, a.0 * b.1 + a.1 * b.3, a.2 * b.0 + a.3 * b.2, a.2 * b.1 + a.3 * b.3)
  in map (\m -> m.0 ^ m.1 ^ m.2 ^ m.3)
         (scan mul (1, 0, 0, 1) (map (\x -> (x[0], x[1], x[2], x[3])) xs))

-- Rows: few long ones, many short ones, some in between.
-- ==
-- entry: rows
-- random input { [3][40001]i32 } auto output
-- random input { [1001][7]i32 } auto output
-- random input { [50][1100]i32 } auto output
-- random input { [5][0]i32 } auto output
entry rows [n] [m] (xs: [n][m]i32) : [n][m]i32 = map (scan (+) 0) xs

-- ==
-- entry: affine_rows
-- random input { [3][40001]i32 } auto output
-- random input { [1001][7]i32 } auto output
-- random input { [6][0]i32 } auto output
entry affine_rows [n] [m] (xs: [n][m]i32) : [n][m]i32 =
  map (\r -> map (.1) (scan (\(a, b) (c, d) -> (c * a, c * b + d)) (1, 0) (zip r r))) xs

-- Columns: the operator works on rows.
-- ==
-- entry: columns
-- random input { [20001][3]i32 } auto output
-- random input { [701][77]i32 } auto output
-- random input { [5][300]i32 } auto output
entry columns [n] [m] (xs: [n][m]i32) : [n][m]i32 = scan (map2 (+)) (replicate m 0) xs

-- A check fails at the lowest position, wherever that is.
-- ==
-- entry: fails
-- input { 90000i64 70000i64 } error: Index \[70000\] out of bounds
-- input { 90000i64 100i64 } error: Index \[100\] out of bounds
entry fails (n: i64) (length: i64) : [n]i64 =
  let xs = iota length
  in scan (+) 0 (map (\i -> xs[i]) (iota n))
