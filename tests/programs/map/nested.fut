-- SPDX-License-Identifier: Apache-2.0
-- Maps inside maps.

-- ==
-- entry: matrix
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[2i32, 3i32], [4i32, 5i32]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }
entry matrix [n] [m] (a: [n][m]i32) : [n][m]i32 = map (map (+ 1)) a

-- Free variables from two levels.
-- ==
-- entry: outer_sum
-- input { [10i32, 20i32] [1i32, 2i32, 3i32] 100i32 } output { [[111i32, 112i32, 113i32], [121i32, 122i32, 123i32]] }
entry outer_sum [n] [m] (xs: [n]i32) (ys: [m]i32) (k: i32) : [n][m]i32 = map (\x -> map (\y -> x + y + k) ys) xs

-- ==
-- entry: three_levels
-- input { [[[1i32, 2i32]], [[3i32, 4i32]]] } output { [[[3i32, 6i32]], [[9i32, 12i32]]] }
entry three_levels [a] [b] [c] (xs: [a][b][c]i32) : [a][b][c]i32 = map (map (map (* 3))) xs

-- Matrix times vector.
-- ==
-- entry: matvec
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] [10i32, 1i32] } output { [12i32, 34i32, 56i32] }
entry matvec [n] [m] (a: [n][m]i32) (v: [m]i32) : [n]i32 = map (\row -> reduce (+) 0 (map2 (*) row v)) a
