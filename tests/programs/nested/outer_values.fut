-- SPDX-License-Identifier: Apache-2.0
-- What the innermost of three levels needs from the outermost one: after a scan, as a neutral element, in an operator.
-- ==
-- entry: after_scan
-- input { [true, false] [true, true] [1i64, 2i64] [1i64, 2i64, 3i64] }
-- output { [[[true, true, true], [true, true, true]], [[false, true, true], [false, true, true]]] }
entry after_scan [n] [m] [k] (a: [n]bool) (c: [n]bool) (q: [m]i64) (w: [k]i64) =
  map2 (\x1 x2 -> map (\y -> let s = scan (+) 0 (map (+ y) w) in map (\v -> if x1 then x2 else v > 3) s) q) a c

-- ==
-- entry: neutral
-- input { [1i64, 5i64] [1i64, 2i64] [1i64, 2i64, 3i64] } output { [[4i64, 5i64], [5i64, 5i64]] }
entry neutral [n] [m] [k] (a: [n]i64) (q: [m]i64) (w: [k]i64) =
  map (\x -> map (\y -> reduce i64.max x (map (+ y) w)) q) a

-- ==
-- entry: operator
-- input { [10i64, 4i64] [1i64, 2i64] [1i64, 2i64, 3i64] } output { [[[2i64, 5i64, 9i64], [3i64, 7i64, 2i64]], [[2i64, 1i64, 1i64], [3i64, 3i64, 0i64]]] }
entry operator [n] [m] [k] (a: [n]i64) (q: [m]i64) (w: [k]i64) =
  map (\x -> map (\y -> scan (\b c -> (b + c) % x) 0 (map (+ y) w)) q) a

-- Two levels, of which either may be the long one.
-- ==
-- entry: rows
-- input { 3i64 40i64 } output { true }
-- input { 1i64 100000i64 } output { true }
-- input { 30000i64 3i64 } output { true }
-- input { 0i64 5i64 } output { true }
entry rows (n: i64) (m: i64) : bool =
  let xss = tabulate_2d n m (\i j -> (i + j) % 7)
  let yss = map2 (\a xs -> map (\s -> s * a + 1) (scan (+) 0 xs)) (iota n) xss
  let zss = opaque (map (scan (+) 0) (opaque xss))
  in and (flatten (map3 (\i ys zs -> map2 (\y z -> y == z * i + 1) ys zs) (iota n) yss zss))
