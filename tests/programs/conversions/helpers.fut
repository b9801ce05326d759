-- SPDX-License-Identifier: Apache-2.0
-- The short conversions r32, t32, r64, t64.

-- ==
-- input { 7i32 2.75f32 } output { 7f32 2i32 7f64 -2i32 }
-- input { -7i32 -0.5f32 } output { -7f32 0i32 -7f64 0i32 }
entry main (x: i32) (y: f32) : (f32, i32, f64, i32) = (r32 x, t32 y, r64 x, t64 (f64.f32 (-y)))
