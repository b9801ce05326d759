-- SPDX-License-Identifier: Apache-2.0
-- A filter whose predicate calls itself.
-- ==
-- entry: evens
-- input { [5i64, 2i64, 8i64, 3i64, 4i64] } output { [2i64, 8i64, 4i64] }
-- input { empty([0]i64) } output { empty([0]i64) }

def even (n: i64) : bool = if n <= 0 then n == 0 else even (n - 2)

entry evens (xs: []i64) : []i64 = filter even xs
