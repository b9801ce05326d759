-- SPDX-License-Identifier: Apache-2.0
-- Sums like those of products, of other numbers: of floats, of pairs.

def left (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 7 + j * 13) % 101 - 50))
def right (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 5 + j * 11) % 103 - 40))
def product [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a
def same [n] [m] (a: [n][m]i32) (b: [n][m]i32) : bool = and (map2 (==) (flatten a) (flatten b))

-- Exact, since the numbers are small.
-- ==
-- entry: floats
-- compiled input { 1500i64 8i64 1400i64 } output { true }
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
-- compiled input { 1500i64 8i64 1400i64 } output { true }
-- input { 16i64 16i64 16i64 } output { true }
-- input { 13i64 17i64 500i64 } output { true }
entry complex (n: i64) (m: i64) (p: i64) : bool =
  let (a, b, c, d) = (left n m, right n m, left m p, right m p)
  let both = map2 (\re im -> map2 (\re' im' -> reduce_comm (\(x, y) (z, w) -> (x + z, y + w)) (0, 0)
                                                          (map4 (\x y z w -> (x * z - y * w, x * w + y * z)) re im re' im'))
                                 (transpose c) (transpose d)) a b
  let (re, im) = unzip (map unzip both)
  in same re (map2 (map2 (-)) (product a c) (product b d)) && same im (map2 (map2 (+)) (product a d) (product b c))
