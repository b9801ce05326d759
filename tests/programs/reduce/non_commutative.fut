-- SPDX-License-Identifier: Apache-2.0
-- The order of elements is kept: the operator is associative but not commutative.

-- Composition of the functions x -> a*x + b.
-- ==
-- entry: affine
-- input { [2i32, 3i32, 1i32] [1i32, 0i32, 5i32] } output { 6i32 8i32 }
-- input { empty([0]i32) empty([0]i32) } output { 1i32 0i32 }
entry affine [n] (as: [n]i32) (bs: [n]i32) : (i32, i32) =
  reduce (\(a1, b1) (a2, b2) -> (a1 * a2, a2 * b1 + b2)) (1, 0) (zip as bs)

-- The last element that is not zero.
-- ==
-- entry: last_nonzero
-- input { [1i32, 0i32, 7i32, 0i32, 0i32] } output { 7i32 }
-- input { [0i32, 0i32] } output { 0i32 }
entry last_nonzero [n] (xs: [n]i32) : i32 = reduce (\a b -> if b == 0 then a else b) 0 xs

-- The same on an array large enough for several threads: 1 + 2 + … digits would show a wrong order.
-- ==
-- entry: large
-- compiled input { 100000i64 } output { 99999i64 0i64 }
entry large (n: i64) : (i64, i64) =
  let keep_last (a: i64, s: i64) (b: i64, t: i64) = if t > 0 then (b, i64.min s t - i64.min s t + 1) else (a, s)
  let (x, s) = reduce keep_last (-1, 0) (map (\i -> (i, 1)) (iota n))
  in (x, s - 1)
