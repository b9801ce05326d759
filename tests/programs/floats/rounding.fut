-- SPDX-License-Identifier: Apache-2.0
-- Rounding to whole numbers: floor, ceil, trunc, and round (ties to even).

-- ==
-- entry: f32_rounding
-- input { 2.5f32 } output { 2f32 3f32 2f32 2f32 }
-- input { 3.5f32 } output { 3f32 4f32 3f32 4f32 }
-- input { -2.5f32 } output { -3f32 -2f32 -2f32 -2f32 }
-- input { -0.25f32 } output { -1f32 0f32 0f32 0f32 }
-- input { 7f32 } output { 7f32 7f32 7f32 7f32 }
entry f32_rounding (x: f32) : (f32, f32, f32, f32) = (f32.floor x, f32.ceil x, f32.trunc x, f32.round x)

-- ==
-- entry: f64_rounding
-- input { 2.5f64 } output { 2f64 3f64 2f64 2f64 }
-- input { -3.5f64 } output { -4f64 -3f64 -3f64 -4f64 }
-- input { 1e15f64 } output { 1e15f64 1e15f64 1e15f64 1e15f64 }
entry f64_rounding (x: f64) : (f64, f64, f64, f64) = (f64.floor x, f64.ceil x, f64.trunc x, f64.round x)
