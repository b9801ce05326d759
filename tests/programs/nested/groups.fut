-- SPDX-License-Identifier: Apache-2.0
-- Nests whose inner code stores arrays between its parallel parts: on a device they may run with one
-- group of threads for each row.  The attribute makes the choice independent of sizes.
-- ==
-- entry: normalise
-- random input { [40][100]f32 } auto output
-- random input { [3][1000]f32 } auto output
-- random input { [2][0]f32 } auto output
-- random input { [0][5]f32 } auto output
entry normalise [n][m] (xss: [n][m]f32): [n][m]f32 =
  #[flattening(only_intra)]
  map (\row -> let t = f32.sqrt (f32.sum row + 1)
               let ys = map (/ t) row
               let zs = scan (+) 0 ys
               in map2 (+) zs (reverse ys))
      xss

-- ==
-- entry: sums
-- random input { [40][64]i32 } auto output
entry sums [n][m] (xss: [n][m]i32): i32 =
  i32.sum (map (\row -> let s = scan (+) 0 row in i32.maximum (map2 (*) s (reverse row))) xss)

-- What fails is what would fail first in order.
-- ==
-- entry: fails
-- input { [[0,1,2],[0,5,6],[9,9,9]] } error: Index \[5\] out of bounds
-- input { [[0,0,0],[0,0,1]] } output { [[0,0,0],[0,0,1]] }
entry fails [n][m] (xss: [n][m]i32): [n][m]i32 =
  #[flattening(only_intra)]
  map (\row -> let s = scan (+) 0 row
               let t = map (\i -> row[i]) row
               in map2 (\a b -> a + b) s (reverse t)) xss

-- A check of the group as a whole.
-- ==
-- entry: fails_together
-- random input { 2i64 [4][64]i32 } auto output
-- input { 3i64 [[0,1],[2,3]] } error: Index \[3\] out of bounds
entry fails_together [n][m] (k: i64) (xss: [n][m]i32): [n][m]i32 =
  #[flattening(only_intra)]
  map (\row -> let s = scan (+) 0 row
               let t = s[k]
               let u = map (+ t) (reverse s)
               in scan (+) 0 u) xss
