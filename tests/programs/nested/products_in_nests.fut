-- SPDX-License-Identifier: Apache-2.0
-- Products of matrices whose elements go into something else in the same nest.  All numbers are small and whole, so that the order
-- of sums does not matter.
-- ==
-- entry: added_up two_at_once with_sums_of_rows by_place
-- input { 1i64 1i64 1i64 } output { true }
-- input { 5i64 3i64 2i64 } output { true }
-- input { 20i64 40i64 33i64 } output { true }
-- input { 70i64 17i64 64i64 } output { true }
-- input { 0i64 4i64 3i64 } output { true }
-- input { 4i64 3i64 0i64 } output { true }

def matrix (n: i64) (m: i64) (k: i64) : [n][m]f32 = tabulate_2d n m (\i j -> f32.i64 ((i * 3 + j * 5 + k) % 7 - 3))
def dot [q] (x: [q]f32) (y: [q]f32) : f32 = f32.sum (map2 (*) x y)
def product [n] [m] [q] (a: [n][q]f32) (b: [m][q]f32) : [n][m]f32 =
  opaque (tabulate_2d n m (\i j -> loop s = 0 for k < q do s + a[i, k] * b[j, k]))
def total [n] [m] (a: [n][m]f32) : f32 = f32.sum (map f32.sum a)
def same [n] [m] (a: [n][m]f32) (b: [n][m]f32) : bool = and (map2 (\x y -> and (map2 (==) x y)) a b)

entry added_up (n: i64) (m: i64) (q: i64) =
  let (a, b) = (matrix n q 1, matrix m q 2)
  let (rows, sums) = unzip (map (\x -> let ys = map (\y -> f32.abs (dot x y) + 1) b in (ys, f32.sum ys)) a)
  let wanted = map (map (\p -> f32.abs p + 1)) (product a b)
  in same rows wanted && f32.sum sums == total wanted

entry two_at_once (n: i64) (m: i64) (q: i64) =
  let (a, b, c, d) = (matrix n q 1, matrix m q 2, matrix n q 3, matrix m q 4)
  let mixed = map2 (\x u -> map2 (\y v -> f32.max (dot x y) (dot x v) - dot u y) b d) a c
  in same mixed (map3 (map3 (\p r s -> f32.max p r - s)) (product a b) (product a d) (product c b))

entry with_sums_of_rows (n: i64) (m: i64) (q: i64) =
  let (a, b, c) = (matrix n q 1, matrix m q 2, matrix m q 5)
  let mixed = map (\x -> map2 (\y z -> f32.sum (map3 (\p r s -> p * r + p * s) x y z)) b c) a
  in same mixed (map2 (map2 (+)) (product a b) (product a c))

entry by_place (n: i64) (m: i64) (q: i64) =
  let (a, b) = (matrix q n 1, matrix q m 2)
  let (rows, sums) =
    unzip (map (\i -> let ys = map (\j -> 2 * f32.sum (map (\k -> a[k, i] * b[k, j]) (iota q))) (iota m) in (ys, f32.maximum ys)) (iota n))
  let wanted = map (map (* 2)) (product (transpose a) (transpose b))
  in same rows wanted && and (map2 (==) sums (map f32.maximum wanted))
