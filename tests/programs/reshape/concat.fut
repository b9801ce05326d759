-- SPDX-License-Identifier: Apache-2.0
-- Arrays one after the other.

-- ==
-- entry: vectors
-- input { [1i32, 2i32] [3i32] } output { [1i32, 2i32, 3i32] [3i32, 1i32, 2i32, 3i32] }
-- input { empty([0]i32) [3i32] } output { [3i32] [3i32, 3i32] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) }
entry vectors [n] [m] (xs: [n]i32) (ys: [m]i32) : ([]i32, []i32) = (xs ++ ys, concat ys (xs ++ ys))

-- ==
-- entry: rows
-- input { [[1i32, 2i32]] [[3i32, 4i32], [5i32, 6i32]] } output { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] }
entry rows [n] [m] [k] (a: [n][k]i32) (b: [m][k]i32) : [][k]i32 = a ++ b

-- ==
-- entry: computed
-- input { 3i64 } output { [0i64, 1i64, 2i64, 7i64, 7i64, 7i64] }
entry computed (n: i64) : []i64 = iota n ++ replicate n 7
