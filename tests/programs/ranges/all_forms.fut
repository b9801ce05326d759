-- SPDX-License-Identifier: Apache-2.0
-- Ranges: up, down, with a step, inclusive and exclusive.

-- ==
-- entry: upto
-- input { 2i64 6i64 } output { [2i64, 3i64, 4i64, 5i64] [2i64, 3i64, 4i64, 5i64, 6i64] }
-- input { 3i64 3i64 } output { empty([0]i64) [3i64] }
-- input { -2i64 0i64 } output { [-2i64, -1i64] [-2i64, -1i64, 0i64] }
entry upto (a: i64) (b: i64) : ([]i64, []i64) = (a..<b, a...b)

-- ==
-- entry: downto
-- input { 6i64 2i64 } output { [6i64, 5i64, 4i64, 3i64] }
-- input { 2i64 2i64 } output { empty([0]i64) }
entry downto (a: i64) (b: i64) : []i64 = a..>b

-- ==
-- entry: stepped
-- input { 0i64 3i64 10i64 } output { [0i64, 3i64, 6i64, 9i64] [0i64, 3i64, 6i64, 9i64] }
-- input { 1i64 3i64 7i64 } output { [1i64, 3i64, 5i64] [1i64, 3i64, 5i64, 7i64] }
entry stepped (a: i64) (b: i64) (c: i64) : ([]i64, []i64) = (a..b..<c, a..b...c)

-- ==
-- entry: stepped_down
-- input { 10i64 7i64 1i64 } output { [10i64, 7i64, 4i64] [10i64, 7i64, 4i64, 1i64] }
-- input { 9i64 8i64 7i64 } output { [9i64, 8i64] [9i64, 8i64, 7i64] }
entry stepped_down (a: i64) (b: i64) (c: i64) : ([]i64, []i64) = (a..b..>c, a..b...c)
