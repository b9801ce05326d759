-- SPDX-License-Identifier: Apache-2.0
-- One histogram per row.

-- ==
-- input { [[0i64, 1i64, 1i64], [2i64, 2i64, 2i64]] } output { [[1i32, 2i32, 0i32], [0i32, 0i32, 3i32]] }
-- input { empty([0][3]i64) } output { empty([0][3]i32) }
entry main [n] [m] (iss: [n][m]i64) : [n][3]i32 =
  map (\is -> reduce_by_index (replicate 3 0) (+) 0 is (replicate m 1)) iss
