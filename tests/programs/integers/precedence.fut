-- SPDX-License-Identifier: Apache-2.0
-- How operators bind, from `**` at the top down to `==`.

-- ==
-- entry: sums_and_products
-- input { 2i32 3i32 4i32 } output { 14i32 20i32 10i32 -3i32 }
entry sums_and_products (a: i32) (b: i32) (c: i32) : (i32, i32, i32, i32) =
  (a + b * c, (a + b) * c, a * b + c, a - 1 - c)

-- Powers associate to the left, and a sign binds tighter than a power.
-- ==
-- entry: powers
-- input { 2i32 } output { 64i32 4i32 18i32 }
entry powers (a: i32) : (i32, i32, i32) = (a ** 3 ** 2, -a ** 2, a * 3 ** 2)

-- Shifts bind tighter than bit operators and looser than sums.
-- ==
-- entry: bits
-- input { 1i32 } output { 8i32 9i32 3i32 }
entry bits (a: i32) : (i32, i32, i32) = (a << 1 + 2, a << 3 | a, a | a << 1)

-- ==
-- entry: comparisons
-- input { 3i32 } output { true true false }
entry comparisons (a: i32) : (bool, bool, bool) =
  (a + 1 == 4 && a < 5, a > 5 || a == 3 && a != 4, a & 1 == 0)
