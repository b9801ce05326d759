-- SPDX-License-Identifier: Apache-2.0
-- Slices must lie inside the array.

-- ==
-- input { [1i32, 2i32, 3i32] 0i64 3i64 } output { [1i32, 2i32, 3i32] }
-- input { [1i32, 2i32, 3i32] 1i64 4i64 } error: Index \[1:4\] out of bounds for array of shape \[3\]
-- input { [1i32, 2i32, 3i32] -1i64 2i64 } error: Index \[-1:2\] out of bounds for array of shape \[3\]
-- input { [1i32, 2i32, 3i32] 2i64 1i64 } error: out of bounds
entry main [n] (xs: [n]i32) (i: i64) (j: i64) : []i32 = xs[i:j]

-- ==
-- entry: strided
-- input { [1i32, 2i32, 3i32] 0i64 3i64 2i64 } output { [1i32, 3i32] }
-- input { [1i32, 2i32, 3i32] 0i64 3i64 0i64 } error: out of bounds
-- input { [1i32, 2i32, 3i32] 0i64 3i64 -1i64 } error: out of bounds
-- input { [1i32, 2i32, 3i32] 3i64 0i64 -1i64 } error: out of bounds
entry strided [n] (xs: [n]i32) (i: i64) (j: i64) (s: i64) : []i32 = xs[i:j:s]
