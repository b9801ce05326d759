-- SPDX-License-Identifier: Apache-2.0
-- An error in one of many elements is reported as well.

-- ==
-- input { [1i32, 2i32, 3i32] [0i64, 2i64, 1i64] } output { [1i32, 3i32, 2i32] }
-- input { [1i32, 2i32, 3i32] [0i64, 5i64, 1i64] } error: Index \[5\] out of bounds for array of shape \[3\]
-- input { [1i32, 2i32, 3i32] empty([0]i64) } output { empty([0]i32) }
entry main [n] [m] (xs: [n]i32) (is: [m]i64) : [m]i32 = map (\i -> xs[i]) is
