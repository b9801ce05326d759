-- SPDX-License-Identifier: Apache-2.0
-- filter keeps the elements that satisfy a predicate, in order.

-- ==
-- entry: even
-- input { [1i32, 2i32, 3i32, 4i32] } output { [2i32, 4i32] }
-- input { [1i32, 3i32] } output { empty([0]i32) }
-- input { [2i32, 4i32] } output { [2i32, 4i32] }
-- input { empty([0]i32) } output { empty([0]i32) }
entry even [n] (xs: [n]i32) : []i32 = filter (\x -> x % 2 == 0) xs

-- ==
-- entry: count
-- input { [1i32, 2i32, 3i32, 4i32] 2i32 } output { 2i64 }
entry count [n] (xs: [n]i32) (k: i32) : i64 = length (filter (> k) xs)

-- ==
-- entry: twice
-- input { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] } output { [6i32] }
entry twice [n] (xs: [n]i32) : []i32 = filter (\x -> x % 3 == 0) (filter (\x -> x % 2 == 0) xs)

-- ==
-- entry: then_reduce
-- input { [1i32, -2i32, 3i32] } output { 4i32 }
entry then_reduce [n] (xs: [n]i32) : i32 = reduce (+) 0 (filter (> 0) xs)
