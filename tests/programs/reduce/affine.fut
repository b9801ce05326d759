-- SPDX-License-Identifier: Apache-2.0
-- Sums of numbers that grow evenly need no loop, and wrap as the loop would.

-- ==
-- entry: sum_i8
-- input { 0i64 3i64 5i64 } output { 0i8 }
-- input { 1i64 3i64 5i64 } output { 5i8 }
-- input { 100i64 3i64 5i64 } output { -10i8 }
-- input { 1000001i64 -7i64 2i64 } output { -94i8 }
-- input { 200003i64 3i64 11i64 } output { 74i8 }
entry sum_i8 (n: i64) (a: i64) (b: i64) : i8 = i8.sum (map (\i -> i8.i64 i * i8.i64 a + i8.i64 b) (iota n))

-- ==
-- entry: sum_i32
-- input { 0i64 3i64 5i64 } output { 0i32 }
-- input { 1i64 3i64 5i64 } output { 5i32 }
-- input { 100i64 3i64 5i64 } output { 15350i32 }
-- input { 1000001i64 -7i64 2i64 } output { 396846242i32 }
-- input { 200003i64 3i64 11i64 } output { -125842102i32 }
entry sum_i32 (n: i64) (a: i64) (b: i64) : i32 = i32.sum (map (\i -> i32.i64 (a * i + b)) (iota n))

-- ==
-- entry: sum_i64
-- input { 0i64 3i64 5i64 } output { 0i64 }
-- input { 1i64 3i64 5i64 } output { 5i64 }
-- input { 100i64 3i64 5i64 } output { 15350i64 }
-- input { 1000001i64 -7i64 2i64 } output { -3500001499998i64 }
-- input { 200003i64 3i64 11i64 } output { 60003700042i64 }
entry sum_i64 (n: i64) (a: i64) (b: i64) : i64 = i64.sum (map (\i -> b + i * a) (iota n))

-- Rows of a matrix that exists only as numbers.
-- ==
-- entry: rows
-- input { 3i64 4i64 } output { [6i32, 22i32, 38i32] }
-- input { 0i64 4i64 } output { empty([0]i32) }
-- input { 2i64 0i64 } output { [0i32, 0i32] }
entry rows (n: i64) (m: i64) : [n]i32 = map i32.sum (unflatten (map i32.i64 (iota (n * m))))

-- The range fails before there is anything to add.
-- ==
-- entry: negative
-- input { 3i64 } output { 3i64 }
-- input { -1i64 } error: Range
entry negative (n: i64) : i64 = i64.sum (iota n)
