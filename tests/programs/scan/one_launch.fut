-- SPDX-License-Identifier: Apache-2.0
-- Sums, scans and partitions of all sizes: less than a group, parts of several groups, tiles of more than one batch, rows that are shorter
-- and longer than a tile.

-- ==
-- entry: sums
-- random input { [0]i32 }
-- random input { [1]i32 }
-- random input { [257]i32 }
-- random input { [4000]i32 }
-- random input { [100003]i32 }
entry sums [n] (xs: [n]i32) : (i32, i32, i64) =
  (i32.sum xs, i32.maximum xs, i64.sum (map i64.i32 xs))

-- A product of matrices is no commutative operator.
-- ==
-- entry: in_order
-- random input { [0]i32 [0]i32 }
-- random input { [300]i32 [300]i32 }
-- random input { [50001]i32 [50001]i32 }
entry in_order [n] (xs: [n]i32) (ys: [n]i32) : (i32, i32, [n]i32, [n]i32) =
  let op (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)
  let (a, b) = reduce op (1, 0) (zip xs ys)
  let (cs, ds) = unzip (scan op (1, 0) (zip xs ys))
  in (a, b, cs, ds)

-- ==
-- entry: rows
-- random input { [10][0]i32 }
-- random input { [0][10]i32 }
-- random input { [1000][1]i32 }
-- random input { [1001][3]i32 }
-- random input { [100][33]i32 }
-- random input { [20][1000]i32 }
-- random input { [3][20001]i32 }
entry rows [n][m] (xs: [n][m]i32) : ([n]i32, [m]i32, [n][m]i32) =
  (map i32.sum xs, map i32.sum (transpose xs), map (scan (+) 0) xs)

-- ==
-- entry: long_scan
-- input { 1i64 } output { 0i64 }
-- compiled input { 2000000i64 } output { 0i64 }
entry long_scan (n: i64) : i64 =
  let xs = map (\i -> i * 7919 % 13) (iota n)
  let ys = scan (+) 0 xs
  in i64.sum (map (\i -> i64.bool (ys[i] != xs[i] + (if i == 0 then 0 else ys[i - 1]))) (iota n))

-- ==
-- entry: classes
-- random input { [0]i32 }
-- random input { [1]i32 }
-- random input { [5000]i32 }
-- random input { [100001]i32 }
entry classes [n] (xs: [n]i32) =
  let (threes, others) = partition (\x -> x % 3 == 0) xs
  let (a, b, c) = partition2 (\x -> x % 5 == 0) (\x -> x % 5 == 1) xs
  in (filter (\x -> x % 2 == 0) xs, threes, others, a, b, c)

-- Rows of different lengths, many of them empty, one longer than a tile.
-- ==
-- entry: lengths
-- input { [3i64, 0i64, 5i64, 1i64, 0i64] } output { [3i64, 0i64, 10i64, 0i64, 0i64] 9i64 }
-- random input { [0]i64 }
-- input { [0i64, 0i64] } output { [0i64, 0i64] 0i64 }
-- input { [0i64, 9000i64, 0i64, 1i64, 20000i64, 0i64] } output { [0i64, 40495500i64, 0i64, 0i64, 199990000i64, 0i64] 29001i64 }
entry lengths [n] (ns: [n]i64) : ([n]i64, i64) =
  let ns = map (\x -> if x < 0 || x > 100000 then 0 else x) ns
  in (map (\k -> i64.sum (iota k)) ns, i64.sum ns)
