-- SPDX-License-Identifier: Apache-2.0
-- Infinities, NaN and signed zeros.

-- NaN equals nothing, not even itself.
-- ==
-- entry: nan
-- input { } output { false true false false true }
entry nan : (bool, bool, bool, bool, bool) =
  let x = f32.nan in (x == x, x != x, x < 1, x > 1, f32.isnan x)

-- ==
-- entry: infinity
-- input { } output { true true true false true }
entry infinity : (bool, bool, bool, bool, bool) =
  let x = f64.inf in (x == x + 1, -x < x, f64.isinf (-x), f64.isinf 1, f64.isnan (x - x))

-- Zero and minus zero are equal, but their reciprocals are not.
-- ==
-- entry: zeros
-- input { } output { true f32.inf -f32.inf }
entry zeros : (bool, f32, f32) = let z = 0f32 in (z == -z, 1 / z, 1 / -z)

-- min and max prefer the operand that is a number.
-- ==
-- entry: extremes
-- input { 1f32 2f32 } output { 1f32 2f32 }
-- input { f32.nan 2f32 } output { 2f32 2f32 }
-- input { 1f32 f32.nan } output { 1f32 1f32 }
-- input { f32.inf -f32.inf } output { -f32.inf f32.inf }
entry extremes (x: f32) (y: f32) : (f32, f32) = (f32.min x y, f32.max x y)

-- ==
-- entry: limits
-- input { } output { f32.inf -f32.inf f64.inf -f64.inf }
entry limits : (f32, f32, f64, f64) = (f32.highest, f32.lowest, f64.highest, f64.lowest)
