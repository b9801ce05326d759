-- SPDX-License-Identifier: Apache-2.0
-- Reductions and scans whose operators work on arrays.

-- ==
-- entry: column_sums
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [5i32, 7i32, 9i32] }
-- input { empty([0][2]i32) } output { [0i32, 0i32] }
-- input { empty([2][0]i32) } output { empty([0]i32) }
-- random input { [1000][7]i32 } auto output
-- random input { [20000][3]i32 } auto output
-- random input { [5000][70]i32 } auto output
-- random input { [3][1000]i32 } auto output
entry column_sums [n] [m] (xss: [n][m]i32) : [m]i32 =
  reduce (map2 (+)) (replicate m 0) xss

-- ==
-- entry: column_scans
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [[1i32, 2i32, 3i32], [5i32, 7i32, 9i32]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }
-- random input { [500][9]i32 } auto output
entry column_scans [n] [m] (xss: [n][m]i32) : [n][m]i32 =
  scan (map2 (+)) (replicate m 0) xss

-- A two-dimensional operator on computed values, with pairs.
-- ==
-- entry: blocks
-- input { [[[1i32, 2i32], [3i32, 4i32]], [[5i32, 6i32], [7i32, 8i32]]] } output { [[12i32, 16i32], [20i32, 24i32]] }
-- random input { [20][3][4]i32 } auto output
entry blocks [n] [m] [k] (xsss: [n][m][k]i32) : [m][k]i32 =
  reduce (map2 (map2 (+))) (replicate m (replicate k 0)) (map (map (map (* 2))) xsss)

-- ==
-- entry: pairs
-- input { [[1i32, 9i32], [4i32, 5i32]] } output { [4i32, 9i32] [1i32, 5i32] }
entry pairs [n] [m] (xss: [n][m]i32) : ([m]i32, [m]i32) =
  let (as, bs) =
    unzip (map (\xs -> (xs, xs)) xss)
  let f a b = map2 i32.max a b
  let g a b = map2 i32.min a b
  in (reduce f (replicate m i32.lowest) as, reduce g (replicate m i32.highest) bs)

-- Inside a map.
-- ==
-- entry: batched
-- input { [[[1i32, 2i32], [3i32, 4i32]], [[5i32, 6i32], [7i32, 8i32]]] } output { [[4i32, 6i32], [12i32, 14i32]] }
-- random input { [10][20][30]i32 } auto output
entry batched [n] [m] [k] (xsss: [n][m][k]i32) : [n][k]i32 =
  map (reduce (map2 (+)) (replicate k 0)) xsss

-- The neutral element is not a replicated one: computed row by row.
-- ==
-- entry: odd_neutral
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [4i32, 6i32] }
entry odd_neutral [n] [m] (xss: [n][m]i32) : [m]i32 =
  reduce (map2 (+)) (map (\i -> i32.i64 (i - i)) (iota m)) xss

-- Values that have nothing to do with each other are reduced one by one.
-- ==
-- entry: independent independent_scan
-- input { 0i64 4i64 } output { true }
-- input { 5i64 0i64 } output { true }
-- input { 7i64 3i64 } output { true }
-- input { 100i64 70i64 } output { true }
def rows (n: i64) (m: i64) (k: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 7 + j * k) % 19) - 9)

entry independent (n: i64) (m: i64) : bool =
  let xss = rows n m 3
  let yss = rows n m 5
  let zs = map (\i -> i32.i64 (i * i % 13)) (iota n)
  let op (a, b, (c, d)) (e, f, (g, h)) = (map2 (+) a e, i32.max b f, (map2 (*) c g, map3 (\x y z -> x * y + z) d g h))
  let (r, s, (t, u)) = reduce op (replicate m 0, i32.lowest, (replicate m 1, replicate m 0)) (zip3 xss zs (zip yss xss))
  let (r', s', (t', u')) =
    loop acc = (replicate m 0, i32.lowest, (replicate m 1, replicate m 0))
    for i < n do op acc (xss[i], zs[i], (yss[i], xss[i]))
  in and (map2 (==) r r') && s == s' && and (map2 (==) t t') && and (map2 (==) u u')

entry independent_scan (n: i64) (m: i64) : bool =
  let xss = rows n m 3
  let zs = map (\i -> i32.i64 (i * i % 13)) (iota n)
  let (yss, ws) = unzip (scan (\(a, b) (c, d) -> (map2 (+) a c, b + d)) (replicate m 0, 0) (zip xss zs))
  let before i xs = if i == 0 then 0 else xs[i - 1]
  in and (flatten (tabulate_2d n m (\i j -> yss[i, j] == xss[i, j] + before i yss[:, j])))
     && and (map (\i -> ws[i] == zs[i] + before i ws) (iota n))

-- Operators that are parallel themselves, on small and on large arrays.
-- ==
-- entry: products product_scans
-- input { 0i64 3i64 } output { true }
-- input { 6i64 0i64 } output { true }
-- input { 6i64 3i64 } output { true }
-- input { 3i64 33i64 } output { true }
def matmul [m] (a: [m][m]i32) (b: [m][m]i32) : [m][m]i32 = map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
def unit (m: i64) : [m][m]i32 = tabulate_2d m m (\i j -> i32.bool (i == j))
def matrices (n: i64) (m: i64) : [n][m][m]i32 = tabulate n (\i -> rows m m (i + 1))
def equal [m] (a: [m][m]i32) (b: [m][m]i32) : bool = and (map2 (\r s -> and (map2 (==) r s)) a b)

entry products (n: i64) (m: i64) : bool =
  let ms = matrices n m
  in equal (reduce matmul (unit m) ms) (loop acc = unit m for x in ms do matmul acc x)

entry product_scans (n: i64) (m: i64) : bool =
  let ms = matrices n m
  let ps = scan matmul (unit m) ms
  in and (map (\i -> equal ps[i] (if i == 0 then ms[i] else matmul ps[i - 1] ms[i])) (iota n))
