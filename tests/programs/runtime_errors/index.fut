-- SPDX-License-Identifier: Apache-2.0
-- Reading outside an array stops the program with the index and the shape.

-- ==
-- entry: vector
-- input { [1i32, 2i32, 3i32] 2i64 } output { 3i32 }
-- input { [1i32, 2i32, 3i32] 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1i32, 2i32, 3i32] -1i64 } error: Index \[-1\] out of bounds for array of shape \[3\]
-- input { empty([0]i32) 0i64 } error: Index \[0\] out of bounds for array of shape \[0\]
entry vector [n] (xs: [n]i32) (i: i64) : i32 = xs[i]

-- ==
-- entry: matrix
-- input { [[1i32, 2i32], [3i32, 4i32]] 1i64 1i64 } output { 4i32 }
-- input { [[1i32, 2i32], [3i32, 4i32]] 2i64 1i64 } error: out of bounds for array of shape \[2\]
-- input { [[1i32, 2i32], [3i32, 4i32]] 1i64 -1i64 } error: out of bounds for array of shape \[2\]
entry matrix [n] [m] (a: [n][m]i32) (i: i64) (j: i64) : i32 = a[i, j]
