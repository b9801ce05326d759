-- SPDX-License-Identifier: Apache-2.0
-- A promise about a size that is not kept.

-- ==
-- input { 3i64 [1i32, 2i32, 3i32] } output { [1i32, 2i32, 3i32] }
-- input { 2i64 [1i32, 2i32, 3i32] } error: cannot match shape of type
entry main [m] (n: i64) (xs: [m]i32) : [n]i32 = copy (xs :> [n]i32)
