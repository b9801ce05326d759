-- SPDX-License-Identifier: Apache-2.0
-- Reading single elements, in one and more dimensions, with indices of several types.

-- ==
-- entry: one
-- input { [5i32, 6i32, 7i32] 0i64 } output { 5i32 }
-- input { [5i32, 6i32, 7i32] 2i64 } output { 7i32 }
entry one [n] (xs: [n]i32) (i: i64) : i32 = xs[i]

-- ==
-- entry: two
-- input { [[1i32, 2i32], [3i32, 4i32]] 1i64 0i64 } output { 3i32 3i32 }
entry two [n] [m] (a: [n][m]i32) (i: i64) (j: i64) : (i32, i32) = (a[i, j], a[i][j])

-- ==
-- entry: small_index
-- input { [5i32, 6i32, 7i32] 1i8 2i32 } output { 6i32 7i32 }
entry small_index [n] (xs: [n]i32) (i: i8) (j: i32) : (i32, i32) = (xs[i], xs[j])

-- Gathering: indices from an array.
-- ==
-- entry: gather
-- input { [5i32, 6i32, 7i32] [2i64, 0i64, 0i64, 1i64] } output { [7i32, 5i32, 5i32, 6i32] }
-- input { [5i32] empty([0]i64) } output { empty([0]i32) }
entry gather [n] [m] (xs: [n]i32) (is: [m]i64) : [m]i32 = map (\i -> xs[i]) is
