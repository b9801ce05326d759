-- SPDX-License-Identifier: Apache-2.0
-- Accesses that are not contiguous.
-- ==
-- entry: column_pairs
-- input { [[1i32,2],[3,4],[5,6],[7,8],[9,10]] } output { [3i32,7,11,15,19] }
-- ==
-- entry: reversed
-- input { [1i32,2,3,4,5,6,7,8,9] } output { [18i32,16,14,12,10,8,6,4,2] }
-- ==
-- entry: every_third
-- input { [0i32,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15] } output { [0i32,3,6,9,12] }
-- ==
-- entry: transposed
-- input { [[1i32,2,3],[4,5,6]] } output { [[2i32,8],[4,10],[6,12]] }
-- ==
-- entry: permuted
-- input { [3i64,1,0,2] [10i16,20,30,40] } output { [40i16,20,10,30] }
-- ==
-- entry: scattered
-- input { [3i64,-1,0,2,9,-7] [10i16,20,30,40,50,60] } output { [30i16,0,40,10] }
entry column_pairs (xs: [][2]i32) = map (\r -> r[0] + r[1]) xs
entry reversed (xs: []i32) = map (* 2) (reverse xs)
entry every_third (xs: []i32) = map (+ 0) xs[0:15:3]
entry transposed [n][m] (xs: [n][m]i32) = map (map (* 2)) (transpose xs)
entry permuted (is: []i64) (xs: []i16) = map (\i -> xs[i]) is
entry scattered (is: []i64) (xs: []i16) = scatter (replicate 4 0i16) is xs
