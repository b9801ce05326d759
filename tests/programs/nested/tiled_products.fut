-- SPDX-License-Identifier: Apache-2.0
-- Products of sizes that are no multiples of tiles: large, middle and small ones, thin ones, long sums, nothing at all; and many small ones.

def left (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 7 + j * 13) % 101 - 50))
def right (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 5 + j * 11) % 103 - 40))
def weigh [n] [m] (c: [n][m]i32) : i32 =
  i32.sum (flatten (tabulate_2d n m (\i j -> c[i, j] * i32.i64 ((i * 31 + j * 17) % 127 + 1))))
def product [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a

-- ==
-- entry: plain
-- compiled input { 1500i64 8i64 1400i64 } output { -10085498i32 }
-- compiled input { 1440i64 17i64 1537i64 } output { -191707269i32 }
-- input { 130i64 33i64 70i64 } output { -2263140i32 }
-- input { 16i64 16i64 16i64 } output { -231454i32 }
-- input { 70i64 8i64 20i64 } output { -2224509i32 }
-- input { 13i64 17i64 500i64 } output { -30131948i32 }
-- input { 5i64 20i64 3i64 } output { -358317i32 }
-- input { 64i64 1100i64 65i64 } output { -14114784i32 }
-- input { 0i64 20i64 20i64 } output { 0i32 }
-- input { 40i64 0i64 40i64 } output { 0i32 }
entry plain (n: i64) (m: i64) (p: i64) : i32 = weigh (product (left n m) (right m p))

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
