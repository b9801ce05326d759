-- SPDX-License-Identifier: Apache-2.0
-- a[i:j] takes the elements from i up to but not including j; each end may be left out.

-- ==
-- entry: both
-- input { [10i32, 11i32, 12i32, 13i32, 14i32] 1i64 4i64 } output { [11i32, 12i32, 13i32] }
-- input { [10i32, 11i32] 0i64 2i64 } output { [10i32, 11i32] }
-- input { [10i32, 11i32] 1i64 1i64 } output { empty([0]i32) }
-- input { [10i32, 11i32] 2i64 2i64 } output { empty([0]i32) }
entry both [n] (xs: [n]i32) (i: i64) (j: i64) : []i32 = xs[i:j]

-- ==
-- entry: one_end
-- input { [10i32, 11i32, 12i32] 1i64 } output { [11i32, 12i32] [10i32] [10i32, 11i32, 12i32] }
-- input { [10i32, 11i32, 12i32] 0i64 } output { [10i32, 11i32, 12i32] empty([0]i32) [10i32, 11i32, 12i32] }
-- input { [10i32, 11i32, 12i32] 3i64 } output { empty([0]i32) [10i32, 11i32, 12i32] [10i32, 11i32, 12i32] }
entry one_end [n] (xs: [n]i32) (i: i64) : ([]i32, []i32, []i32) = (xs[i:], xs[:i], xs[:])
