-- SPDX-License-Identifier: Apache-2.0
-- A range may be of any integer type.

-- ==
-- entry: i32_range
-- input { 3i32 } output { [0i32, 1i32, 2i32] [-1i32, 1i32, 3i32] }
entry i32_range (n: i32) : ([]i32, []i32) = (0..<n, -1..1...n)

-- ==
-- entry: i8_range
-- input { 125i8 127i8 } output { [125i8, 126i8] [125i8, 126i8, 127i8] }
entry i8_range (a: i8) (b: i8) : ([]i8, []i8) = (a..<b, a...b)
