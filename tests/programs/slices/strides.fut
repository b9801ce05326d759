-- SPDX-License-Identifier: Apache-2.0
-- a[i:j:s] takes every s-th element, backwards when s is negative.

-- ==
-- entry: forward
-- input { [0i32, 1i32, 2i32, 3i32, 4i32, 5i32] } output { [0i32, 2i32, 4i32] [1i32, 3i32, 5i32] [1i32, 4i32] }
entry forward [n] (xs: [n]i32) : ([]i32, []i32, []i32) = (xs[::2], xs[1::2], xs[1:5:3])

-- ==
-- entry: backward
-- input { [0i32, 1i32, 2i32, 3i32, 4i32] } output { [4i32, 3i32, 2i32, 1i32, 0i32] [4i32, 2i32, 0i32] [3i32, 2i32] }
entry backward [n] (xs: [n]i32) : ([]i32, []i32, []i32) = (xs[::-1], xs[::-2], xs[3:1:-1])

-- The bounds and the stride may be computed.
-- ==
-- entry: computed
-- input { [0i32, 1i32, 2i32, 3i32, 4i32, 5i32] 0i64 6i64 2i64 } output { [0i32, 2i32, 4i32] }
-- input { [0i32, 1i32, 2i32, 3i32, 4i32, 5i32] 5i64 0i64 -2i64 } output { [5i32, 3i32, 1i32] }
-- input { [0i32, 1i32, 2i32, 3i32, 4i32, 5i32] 1i64 6i64 3i64 } output { [1i32, 4i32] }
-- input { [0i32, 1i32, 2i32, 3i32, 4i32, 5i32] 4i64 4i64 -1i64 } output { empty([0]i32) }
entry computed [n] (xs: [n]i32) (i: i64) (j: i64) (s: i64) : []i32 = xs[i:j:s]
