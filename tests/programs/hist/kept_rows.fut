-- SPDX-License-Identifier: Apache-2.0
-- Operators on rows that give back one of the two rows as it is: the one of the bin, that of the point, or whichever comes first.

-- ==
-- entry: larger smaller first in_rows
-- input { 3i64 [0i64, 2i64, 0i64, 3i64, 2i64, 0i64] [[1i32, 5i32], [4i32, 0i32], [3i32, 7i32], [9i32, 9i32], [2i32, 2i32], [2i32, 8i32]] } auto output
-- input { 1i64 [0i64, 0i64] [[-1i32, 2i32], [-2i32, 1i32]] } auto output
-- input { 0i64 [0i64] [[1i32, 2i32]] } auto output
-- input { 2i64 empty([0]i64) empty([0][2]i32) } auto output
entry larger [n] (h: i64) (ks: [n]i64) (vs: [n][2]i32) : [h][2]i32 =
  reduce_by_index (replicate h [0, 0]) (\a b -> if a[0] < b[0] then b else a) [i32.lowest, i32.lowest] ks vs
entry smaller [n] (h: i64) (ks: [n]i64) (vs: [n][2]i32) : [h][2]i32 =
  reduce_by_index (replicate h [3, 3]) (\a b -> if a[0] + a[1] <= b[0] + b[1] then a else b) [9999, 9999] ks vs
-- Whatever is not neutral stays.
entry first [n] (h: i64) (ks: [n]i64) (vs: [n][2]i32) : [h][2]i32 =
  reduce_by_index (replicate h [1, 1]) (\a b -> if a[0] == 0 && a[1] == 0 then b else a) [0, 0] ks vs
entry in_rows [n] (h: i64) (ks: [n]i64) (vs: [n][2]i32) : [3][h][2]i32 =
  tabulate 3 (\r -> reduce_by_index (replicate h [0, 0]) (\a b -> if a[0] < b[0] then b else a) [i32.lowest, i32.lowest]
                                    (map (\k -> (k + r) % 3) ks) vs)
