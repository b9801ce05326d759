-- SPDX-License-Identifier: Apache-2.0
-- Empty arrays keep the sizes of their other dimensions.

-- ==
-- entry: shape
-- input { empty([0][3]i32) } output { 0i64 3i64 empty([3][0]i32) }
-- input { empty([4][0]i32) } output { 4i64 0i64 empty([0][4]i32) }
entry shape [n] [m] (a: [n][m]i32) : (i64, i64, [m][n]i32) = (length a, m, transpose a)

-- ==
-- entry: through_everything
-- input { empty([0]i32) } output { empty([0]i32) 0i32 empty([0]i32) empty([0]i32) }
entry through_everything [n] (xs: [n]i32) : ([]i32, i32, []i32, []i32) =
  (map (+ 1) xs, reduce (+) 0 xs, scan (+) 0 xs, filter (> 0) xs)
