-- SPDX-License-Identifier: Apache-2.0
-- An assertion that does not hold shows its condition.

-- ==
-- entry: positive
-- input { 3i32 } output { 9i32 }
-- input { -3i32 } error: Assertion is false: \(?x > 0
entry positive (x: i32) : i32 = assert (x > 0) (x * x)

-- ==
-- entry: in_map
-- input { [1i32, 2i32] } output { [2i32, 3i32] }
-- input { [1i32, -2i32] } error: Assertion is false
entry in_map [n] (xs: [n]i32) : [n]i32 = map (\x -> assert (x >= 0) (x + 1)) xs
