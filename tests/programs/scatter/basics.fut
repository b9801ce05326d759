-- SPDX-License-Identifier: Apache-2.0
-- scatter writes values at indices; what is out of bounds is ignored.

-- ==
-- entry: into
-- input { [0i32, 0i32, 0i32] [2i64, 0i64] [7i32, 8i32] } output { [8i32, 0i32, 7i32] }
-- input { [1i32, 2i32, 3i32] [-1i64, 3i64, 1i64] [7i32, 8i32, 9i32] } output { [1i32, 9i32, 3i32] }
-- input { [1i32, 2i32] [9223372036854775807i64, -9223372036854775808i64] [7i32, 8i32] } output { [1i32, 2i32] }
-- input { [1i32, 2i32] empty([0]i64) empty([0]i32) } output { [1i32, 2i32] }
-- input { empty([0]i32) [0i64] [5i32] } output { empty([0]i32) }
entry into [k] [n] (dest: *[k]i32) (is: [n]i64) (vs: [n]i32) : *[k]i32 = scatter dest is vs

-- Two equal writes to one place.
-- ==
-- entry: same_value
-- input { [1i64, 1i64, 1i64] } output { [0i32, 4i32, 0i32] }
entry same_value [n] (is: [n]i64) : [3]i32 = scatter (replicate 3 0) is (replicate n 4)

-- A permutation and its inverse.
-- ==
-- entry: inverse
-- input { [2i64, 0i64, 3i64, 1i64] } output { [1i64, 3i64, 0i64, 2i64] }
entry inverse [n] (p: [n]i64) : [n]i64 = scatter (replicate n 0) p (iota n)
