-- SPDX-License-Identifier: Apache-2.0
-- Sums like those of products, in other forms: of transposed arrays, in a loop.

def left (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 7 + j * 13) % 101 - 50))
def right (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 5 + j * 11) % 103 - 40))
def product [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a
def same [n] [m] (a: [n][m]i32) (b: [n][m]i32) : bool = and (map2 (==) (flatten a) (flatten b))

-- ==
-- entry: transposed
-- compiled input { 1500i64 8i64 1400i64 } output { true }
-- input { 130i64 33i64 70i64 } output { true }
-- input { 16i64 16i64 16i64 } output { true }
-- input { 13i64 17i64 500i64 } output { true }
-- input { 40i64 0i64 40i64 } output { true }
entry transposed (n: i64) (m: i64) (p: i64) : bool =
  let (a, b) = (copy (transpose (left n m)), copy (transpose (right m p)))
  in same (product (left n m) (right m p))
          (map (\row -> map (\column -> i32.sum (map2 (*) row column)) b) (transpose a))

-- Sums in order, with something before and after them.
-- ==
-- entry: in_a_loop
-- compiled input { 1500i64 8i64 1400i64 } output { true }
-- input { 130i64 33i64 70i64 } output { true }
-- input { 16i64 16i64 16i64 } output { true }
-- input { 13i64 17i64 500i64 } output { true }
-- input { 40i64 0i64 40i64 } output { true }
entry in_a_loop (n: i64) (m: i64) (p: i64) : bool =
  let (a, b, c) = (left n m, right m p, left n p)
  let d = tabulate_2d n p (\i j -> 3 * loop s = c[i, j] for k < i32.i64 m do s + a[i, i64.i32 k] * b[i64.i32 k, j])
  in same d (map2 (map2 (\x y -> 3 * (x + y))) c (product a b))
