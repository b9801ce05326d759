-- SPDX-License-Identifier: Apache-2.0
-- Between widths of floats.

-- ==
-- entry: widen
-- input { 0.5f16 0.25f32 } output { 0.5f32 0.5f64 0.25f64 }
-- input { f16.inf f32.nan } output { f32.inf f64.inf f64.nan }
entry widen (x: f16) (y: f32) : (f32, f64, f64) = (f32.f16 x, f64.f16 x, f64.f32 y)

-- ==
-- entry: narrow
-- input { 1e300f64 70000f32 } output { f32.inf f16.inf }
-- input { 1.5f64 0.375f32 } output { 1.5f32 0.375f16 }
-- input { f64.nan -f32.inf } output { f32.nan -f16.inf }
entry narrow (x: f64) (y: f32) : (f32, f16) = (f32.f64 x, f16.f32 y)

-- ==
-- entry: loses_bits
-- input { 0.1f64 } output { false }
-- input { 0.125f64 } output { true }
entry loses_bits (x: f64) : bool = f64.f32 (f32.f64 x) == x
