-- SPDX-License-Identifier: Apache-2.0
-- Updates outside the array, and with a value of another size.

-- ==
-- entry: element
-- input { [1i32, 2i32] 1i64 } output { [1i32, 0i32] }
-- input { [1i32, 2i32] 2i64 } error: Index \[2\] out of bounds for array of shape \[2\]
entry element [n] (xs: *[n]i32) (i: i64) : *[n]i32 = xs with [i] = 0

-- ==
-- entry: slice
-- input { [1i32, 2i32, 3i32] 0i64 2i64 } output { [0i32, 1i32, 3i32] }
-- input { [1i32, 2i32, 3i32] 2i64 4i64 } error: Index \[2:4\] out of bounds for array of shape \[3\]
entry slice [n] (xs: *[n]i32) (i: i64) (j: i64) : *[n]i32 = xs with [i:j] = map i32.i64 (iota (j - i))
