-- SPDX-License-Identifier: Apache-2.0
-- head, tail, init, last, take, drop, split, reverse.

-- ==
-- entry: ends
-- input { [1i32, 2i32, 3i32] } output { 1i32 3i32 [2i32, 3i32] [1i32, 2i32] }
-- input { [7i32] } output { 7i32 7i32 empty([0]i32) empty([0]i32) }
entry ends [n] (xs: [n]i32) : (i32, i32, []i32, []i32) = (head xs, last xs, tail xs, init xs)

-- ==
-- entry: parts
-- input { 2i64 [1i32, 2i32, 3i32] } output { [1i32, 2i32] [3i32] }
-- input { 0i64 [1i32, 2i32, 3i32] } output { empty([0]i32) [1i32, 2i32, 3i32] }
-- input { 3i64 [1i32, 2i32, 3i32] } output { [1i32, 2i32, 3i32] empty([0]i32) }
entry parts [n] (k: i64) (xs: [n]i32) : ([]i32, []i32) = (take k xs, drop k xs)

-- ==
-- entry: backwards
-- input { [1i32, 2i32, 3i32] } output { [3i32, 2i32, 1i32] }
-- input { empty([0]i32) } output { empty([0]i32) }
entry backwards [n] (xs: [n]i32) : [n]i32 = reverse xs
