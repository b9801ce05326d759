-- SPDX-License-Identifier: Apache-2.0
-- f16: every operation is rounded to 11 bits; the largest finite number is 65504.

-- ==
-- entry: arith
-- input { 1.5f16 0.25f16 } output { 1.75f16 1.25f16 0.375f16 6f16 }
-- input { 65504f16 65504f16 } output { f16.inf 0f16 f16.inf 1f16 }
-- input { 1f16 3f16 } output { 4f16 -2f16 3f16 0.3333f16 }
entry arith (x: f16) (y: f16) : (f16, f16, f16, f16) = (x + y, x - y, x * y, x / y)

-- 2048 + 1 is half way between two numbers and goes to the even one.
-- ==
-- entry: rounding
-- input { } output { true true false }
entry rounding : (bool, bool, bool) =
  (2048f16 + 1f16 == 2048f16, 2050f16 + 1f16 == 2052f16, 1024f16 + 1f16 == 1024f16)

-- The bits of 1, -2, 65504, infinity, and the smallest number above zero.
-- ==
-- entry: bits
-- input { 1f16 } output { 15360u16 }
-- input { -2f16 } output { 49152u16 }
-- input { 65504f16 } output { 31743u16 }
-- input { f16.inf } output { 31744u16 }
entry bits (x: f16) : u16 = f16.to_bits x

-- ==
-- entry: from_bits
-- input { 1u16 } output { true true }
-- input { 15360u16 } output { true false }
entry from_bits (x: u16) : (bool, bool) = let y = f16.from_bits x in (y > 0, y / 2 == 0)

-- ==
-- entry: compare
-- input { 1f16 2f16 } output { true true false false false true }
-- input { 2f16 2f16 } output { false true false true true false }
-- input { f16.nan 2f16 } output { false false false false false true }
entry compare (x: f16) (y: f16) : (bool, bool, bool, bool, bool, bool) =
  (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- ==
-- entry: total
-- input { [0.5f16, 0.25f16, 4f16] } output { 4.75f16 }
-- input { empty([0]f16) } output { 0f16 }
entry total [n] (xs: [n]f16) : f16 = reduce (+) 0 xs
