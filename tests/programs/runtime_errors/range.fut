-- SPDX-License-Identifier: Apache-2.0
-- Ranges that run the wrong way or stand still.

-- ==
-- entry: up
-- input { 1i64 4i64 } output { [1i64, 2i64, 3i64] }
-- input { 4i64 1i64 } error: Range 4\.\.<1 is invalid
entry up (a: i64) (b: i64) : []i64 = a..<b

-- ==
-- entry: stepped
-- input { 0i64 2i64 5i64 } output { [0i64, 2i64, 4i64] }
-- input { 0i64 0i64 5i64 } error: Range 0\.\.0\.\.<5 is invalid
-- input { 5i64 4i64 9i64 } error: is invalid
entry stepped (a: i64) (b: i64) (c: i64) : []i64 = a..b..<c

-- ==
-- entry: counted
-- input { 3i64 } output { [0i64, 1i64, 2i64] }
-- input { -1i64 } error: Range 0\.\.1\.\.<-1 is invalid
entry counted (n: i64) : []i64 = iota n
