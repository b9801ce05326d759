-- SPDX-License-Identifier: Apache-2.0
-- What is not computed cannot fail.

-- ==
-- entry: branch
-- input { [1i32] 5i64 } output { 0i32 }
-- input { [1i32] 0i64 } output { 1i32 }
entry branch [n] (xs: [n]i32) (i: i64) : i32 = if 0 <= i && i < n then xs[i] else 0

-- ==
-- entry: empty_map
-- input { empty([0]i32) 0i32 } output { empty([0]i32) }
-- input { [4i32] 2i32 } output { [2i32] }
entry empty_map [n] (xs: [n]i32) (y: i32) : [n]i32 = map (/ y) xs
