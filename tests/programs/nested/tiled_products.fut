-- SPDX-License-Identifier: Apache-2.0
-- Products of sizes that are no multiples of tiles: large, middle and small ones, thin ones, long sums, nothing at all.

def left (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 7 + j * 13) % 101 - 50))
def right (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 5 + j * 11) % 103 - 40))
def weigh [n] [m] (c: [n][m]i32) : i32 =
  i32.sum (flatten (tabulate_2d n m (\i j -> c[i, j] * i32.i64 ((i * 31 + j * 17) % 127 + 1))))
def product [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a
def same [n] [m] (a: [n][m]i32) (b: [n][m]i32) : bool = and (map2 (==) (flatten a) (flatten b))

-- ==
-- entry: plain
-- input { 1500i64 8i64 1400i64 } output { -10085498i32 }
-- input { 1440i64 17i64 1537i64 } output { -191707269i32 }
-- input { 130i64 33i64 70i64 } output { -2263140i32 }
-- input { 16i64 16i64 16i64 } output { -231454i32 }
-- input { 70i64 8i64 20i64 } output { -2224509i32 }
-- input { 13i64 17i64 500i64 } output { -30131948i32 }
-- input { 5i64 20i64 3i64 } output { -358317i32 }
-- input { 64i64 1100i64 65i64 } output { -14114784i32 }
-- input { 0i64 20i64 20i64 } output { 0i32 }
-- input { 40i64 0i64 40i64 } output { 0i32 }
entry plain (n: i64) (m: i64) (p: i64) : i32 = weigh (product (left n m) (right m p))

-- ==
-- entry: transposed
-- input { 1500i64 8i64 1400i64 } output { true }
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
-- input { 1500i64 8i64 1400i64 } output { true }
-- input { 130i64 33i64 70i64 } output { true }
-- input { 16i64 16i64 16i64 } output { true }
-- input { 13i64 17i64 500i64 } output { true }
-- input { 40i64 0i64 40i64 } output { true }
entry in_a_loop (n: i64) (m: i64) (p: i64) : bool =
  let (a, b, c) = (left n m, right m p, left n p)
  let d = tabulate_2d n p (\i j -> 3 * loop s = c[i, j] for k < i32.i64 m do s + a[i, i64.i32 k] * b[i64.i32 k, j])
  in same d (map2 (map2 (\x y -> 3 * (x + y))) c (product a b))

-- Exact, since the numbers are small.
-- ==
-- entry: floats
-- input { 1500i64 8i64 1400i64 } output { true }
-- input { 16i64 16i64 16i64 } output { true }
-- input { 13i64 17i64 500i64 } output { true }
entry floats (n: i64) (m: i64) (p: i64) : bool =
  let (a, b) = (left n m, right m p)
  let c = map (\row -> map (\column -> f32.sum (map2 (\x y -> f32.i32 x * f32.i32 y) row column)) (transpose b)) a
  let d = map (\row -> map (\column -> f64.sum (map2 (\x y -> f64.i32 x * f64.i32 y) row column)) (transpose b)) a
  in same (map (map i32.f32) c) (product a b) && same (map (map i32.f64) d) (product a b)

-- Two results that depend on each other, and two arrays on each side.
-- ==
-- entry: complex
-- input { 1500i64 8i64 1400i64 } output { true }
-- input { 16i64 16i64 16i64 } output { true }
-- input { 13i64 17i64 500i64 } output { true }
entry complex (n: i64) (m: i64) (p: i64) : bool =
  let (a, b, c, d) = (left n m, right n m, left m p, right m p)
  let both = map2 (\re im -> map2 (\re' im' -> reduce_comm (\(x, y) (z, w) -> (x + z, y + w)) (0, 0)
                                                          (map4 (\x y z w -> (x * z - y * w, x * w + y * z)) re im re' im'))
                                 (transpose c) (transpose d)) a b
  let (re, im) = unzip (map unzip both)
  in same re (map2 (map2 (-)) (product a c) (product b d)) && same im (map2 (map2 (+)) (product a d) (product b c))

-- Many small ones.
-- ==
-- entry: batch
-- input { 7i64 16i64 } output { true }
-- input { 5i64 13i64 } output { true }
-- input { 3i64 40i64 } output { true }
-- input { 0i64 16i64 } output { true }
entry batch (b: i64) (n: i64) : bool =
  let a = tabulate b (\k -> map (map (+ i32.i64 k)) (left n n))
  let c = tabulate b (\k -> map (map (* i32.i64 k)) (right n n))
  let all = map2 product a c
  in and (tabulate b (\k -> i32.sum (flatten all[k]) == i32.sum (map2 (*) (map i32.sum (transpose a[k])) (map i32.sum c[k]))))
