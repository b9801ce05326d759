-- SPDX-License-Identifier: Apache-2.0
-- An error in the middle of a loop, and none when the loop stops before it.

-- ==
-- input { [1i64, 2i64, 0i64] 3i32 } output { 0i64 }
-- input { [1i64, 5i64, 0i64] 1i32 } output { 1i64 }
-- input { [1i64, 5i64, 0i64] 2i32 } output { 5i64 }
-- input { [1i64, 5i64, 0i64] 3i32 } error: Index \[5\] out of bounds
entry main [n] (next: [n]i64) (steps: i32) : i64 = loop at = 0 for _i < steps do next[at]
