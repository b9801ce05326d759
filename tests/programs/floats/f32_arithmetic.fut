-- SPDX-License-Identifier: Apache-2.0
-- f32: the four operations, powers, remainders.

-- ==
-- entry: arith
-- input { 1.5f32 0.25f32 } output { 1.75f32 1.25f32 0.375f32 6f32 }
-- input { -1f32 3f32 } output { 2f32 -4f32 -3f32 -0.33333334f32 }
-- input { 1e30f32 1e30f32 } output { 2e30f32 0f32 f32.inf 1f32 }
-- input { 1f32 0f32 } output { 1f32 1f32 0f32 f32.inf }
-- input { -1f32 0f32 } output { -1f32 -1f32 0f32 -f32.inf }
-- input { 0f32 0f32 } output { 0f32 0f32 0f32 f32.nan }
-- input { f32.inf f32.inf } output { f32.inf f32.nan f32.inf f32.nan }
-- input { f32.nan 1f32 } output { f32.nan f32.nan f32.nan f32.nan }
entry arith (x: f32) (y: f32) : (f32, f32, f32, f32) = (x + y, x - y, x * y, x / y)

-- 2^24 + 1 has no f32.
-- ==
-- entry: rounding
-- input { 16777216f32 } output { true }
-- input { 8388608f32 } output { false }
entry rounding (x: f32) : bool = x + 1 == x

-- ==
-- entry: power
-- input { 2f32 10f32 } output { 1024f32 }
-- input { 2f32 -1f32 } output { 0.5f32 }
-- input { 9f32 0.5f32 } output { 3f32 }
-- input { -8f32 2f32 } output { 64f32 }
-- input { -1f32 0.5f32 } output { f32.nan }
-- input { 0f32 0f32 } output { 1f32 }
entry power (x: f32) (y: f32) : f32 = x ** y

-- The remainder of positive numbers.
-- ==
-- entry: remainder
-- input { 7.5f32 2f32 } output { 1.5f32 }
-- input { 1f32 4f32 } output { 1f32 }
-- input { 1f32 0f32 } output { f32.nan }
entry remainder (x: f32) (y: f32) : f32 = x % y
