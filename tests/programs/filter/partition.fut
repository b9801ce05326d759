-- SPDX-License-Identifier: Apache-2.0
-- partition keeps both parts, partition2 all three.

-- ==
-- entry: two
-- input { [1i32, 2i32, 3i32, 4i32, 5i32] } output { [2i32, 4i32] [1i32, 3i32, 5i32] }
-- input { [1i32] } output { empty([0]i32) [1i32] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }
entry two [n] (xs: [n]i32) : ([]i32, []i32) = partition (\x -> x % 2 == 0) xs

-- ==
-- entry: three
-- input { [5i32, -1i32, 0i32, 7i32, -3i32] } output { [-1i32, -3i32] [0i32] [5i32, 7i32] }
entry three [n] (xs: [n]i32) : ([]i32, []i32, []i32) = partition2 (< 0) (== 0) xs
