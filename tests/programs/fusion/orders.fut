-- SPDX-License-Identifier: Apache-2.0
-- Arrays in another order: reductions that do not mind, results that are written in order, and those where the order counts.
-- ==
-- entry: reduced
-- input { [1i64, 2i64, 4i64] } output { [2i64, 4i64, 8i64] 14i64 12i64 7i64 8i64 }
-- input { empty([0]i64) } output { empty([0]i64) 0i64 0i64 0i64 -9223372036854775808i64 }
entry reduced [n] (xs: [n]i64) =
  let ys = map (* 2) xs
  in (ys, i64.sum (reverse ys), i64.sum (map (\x -> x / 2 + x % 3) (reverse ys)), i64.sum (rotate 1 xs), i64.maximum (rotate 2 ys))

-- The order counts: an operator that does not commute, and two orders.
-- ==
-- entry: in_order
-- input { [1i64, 2i64, 4i64] } output { 4i64 1i64 12i64 421i64 }
entry in_order [n] (xs: [n]i64) =
  let last [m] (ys: [m]i64) = reduce (\a b -> if b == 0 then a else b) 0 ys
  let dot = i64.sum (map2 (*) xs (reverse xs))
  let number = (reduce (\(a, p) (b, q) -> (a * q + b, p * q)) (0, 1) (map (\x -> (x, 10)) (reverse xs))).0
  in (last xs, last (reverse xs), dot, number)

-- A rotation of an array that changes afterwards.
-- ==
-- entry: changed
-- input { [1i64, 2i64, 4i64] } output { 7i64 [100i64, 2i64, 4i64] }
entry changed [n] (xs: *[n]i64) : (i64, *[n]i64) =
  let rotated = rotate 1 xs
  let ys = xs with [0] = 100
  in (i64.sum rotated, ys)

-- ==
-- entry: flattened
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] }
-- output { [[2i64, 3i64, 4i64], [5i64, 6i64, 7i64]] 27i64 21i64 6i64 [[1i64, 4i64], [2i64, 5i64], [3i64, 6i64]] }
-- input { [[7i64], [8i64]] } output { [[8i64], [9i64]] 17i64 15i64 8i64 [[7i64, 8i64]] }
entry flattened [n] [m] (xss: [n][m]i64) =
  let yss = map (map (+ 1)) xss
  in (yss, i64.sum (flatten (transpose yss)), i64.sum (flatten xss), i64.maximum (flatten (reverse xss)),
      map (map (\x -> x + 0)) (transpose xss))

-- A flat reduction that needs what the nest beside it gives, and the other way round.
-- ==
-- entry: dependent
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { [[11i64, 12i64], [13i64, 14i64]] 50i64 }
entry dependent [n] [m] (xss: [n][m]i64) =
  let s = i64.sum (flatten xss)
  let yss = map (map (+ s)) xss
  in (yss, i64.sum (flatten yss))

-- Results that are written from the end, also in branches, loops and rows.
-- ==
-- entry: written
-- input { [1i64, 2i64, 4i64] } output { [5i64, 3i64, 2i64] [[3i64, 2i64, 1i64], [1i64, 1i64, 1i64]] [8i64, 4i64, 2i64] [4i64, 2i64, 1i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([2][0]i64) empty([0]i64) empty([0]i64) }
entry written [n] (xs: [n]i64) =
  let a = reverse (map (+ 1) xs)
  let b = map reverse (tabulate_2d 2 n (\i j -> if i == 0 then j + 1 else 1))
  let c = if n > 2 then reverse (map (* 2) xs) else reverse (map (* 3) xs)
  let d = loop ys = xs for i < 3 do if i % 2 == 0 then reverse (map (\x -> x + 0) ys) else reverse (map (\x -> x) ys)
  in (a, b, c, d)

-- Both orders are wanted.
-- ==
-- entry: both
-- input { [1i64, 2i64] } output { [2i64, 3i64] [3i64, 2i64] }
entry both [n] (xs: [n]i64) = let ys = map (+ 1) xs in (ys, reverse ys)

-- Planes in another order; rows stay whole.
-- ==
-- entry: planes
-- input { [[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]] }
-- output { [[[6i64, 7i64], [4i64, 5i64], [2i64, 3i64]], [[12i64, 14i64], [8i64, 10i64], [4i64, 6i64]]] }
entry planes [n] [m] (xss: [n][m]i64) =
  reverse (map reverse (transpose (map (\xs -> [map (\x -> (x + 1) * 2) xs, map (+ 1) xs]) xss)))
