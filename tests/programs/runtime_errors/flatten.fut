-- SPDX-License-Identifier: Apache-2.0
-- An array that does not have as many elements as its new shape needs.

-- ==
-- input { 2i64 3i64 [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] } output { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] }
-- input { 2i64 2i64 [1i32, 2i32, 3i32] } error: cannot match shape of type
entry main [k] (n: i64) (m: i64) (xs: [k]i32) : [n][m]i32 = copy (unflatten (xs :> [n * m]i32))
