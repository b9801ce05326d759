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
