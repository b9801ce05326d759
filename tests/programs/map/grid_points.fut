-- SPDX-License-Identifier: Apache-2.0
-- Cheap points of grids that read transposed arrays, or neighbours, in whole and in cut rectangles.

def some (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 (i * 1000 + j))

-- ==
-- entry: turned
-- input { 70i64 100i64 } output { true }
-- input { 32i64 64i64 } output { true }
-- input { 3i64 200i64 } output { true }
-- input { 0i64 20i64 } output { true }
entry turned (n: i64) (m: i64) : bool =
  let c = map (map (+ 1)) (transpose (some n m))
  in and (flatten (tabulate_2d m n (\j i -> c[j, i] == i32.i64 (i * 1000 + j + 1))))

-- Two turned arrays of different types, one that is not, and the numbers of the point.
-- ==
-- entry: several
-- input { 40i64 70i64 } output { true }
entry several (n: i64) (m: i64) : bool =
  let (a, b, c) = (some n m, map (map i64.i32) (some n m), some m n)
  let d = tabulate_2d m n (\j i -> i64.i32 a[i, j] + 3 * b[i, j] + i64.i32 c[j, i] + 7 * i)
  in and (flatten (tabulate_2d m n (\j i -> d[j, i] == 4 * (i * 1000 + j) + j * 1000 + i + 7 * i)))

-- The outermost of three dimensions is where neighbours lie.
-- ==
-- entry: rotated
-- input { 40i64 3i64 50i64 } output { true }
-- input { 17i64 5i64 16i64 } output { true }
entry rotated (n: i64) (m: i64) (k: i64) : bool =
  let a = tabulate_3d n m k (\i j l -> i32.i64 (i * 10000 + j * 100 + l))
  let b = tabulate_3d k m n (\l j i -> 2 * a[i, j, l])
  in and (flatten_3d (tabulate_3d k m n (\l j i -> b[l, j, i] == i32.i64 (2 * (i * 10000 + j * 100 + l)))))

-- ==
-- entry: near
-- input { 70i64 100i64 } output { true }
-- input { 32i64 128i64 } output { true }
-- input { 5i64 49i64 } output { true }
-- input { 2i64 300i64 } output { true }
entry near (n: i64) (m: i64) : bool =
  let a = some n m
  let border i j = i == 0 || j == 0 || i == n - 1 || j == m - 1
  let c = tabulate_2d n m (\i j -> if border i j then a[i, j]
                                   else a[i - 1, j] + 2 * a[i + 1, j] + 3 * a[i, j - 1] + 4 * a[i, j + 1] - 9 * a[i, j])
  in and (flatten (tabulate_2d n m (\i j -> c[i, j] == if border i j then a[i, j] else a[i, j] + 1001)))

-- ==
-- entry: near_in_space
-- input { 5i64 18i64 70i64 } output { true }
entry near_in_space (n: i64) (m: i64) (k: i64) : bool =
  let a = tabulate_3d n m k (\i j l -> i32.i64 (i * 10000 + j * 100 + l))
  let border i j l = i == 0 || j == 0 || l == 0 || i == n - 1 || j == m - 1 || l == k - 1
  let b = tabulate_3d n m k (\i j l -> if border i j l then 0
                                       else a[i - 1, j, l] + a[i + 1, j, l] + a[i, j - 1, l] + 2 * a[i, j + 1, l] + a[i, j, l - 1] + a[i, j, l + 1])
  in and (flatten_3d (tabulate_3d n m k (\i j l -> b[i, j, l] == if border i j l then 0 else 7 * a[i, j, l] + 100)))
