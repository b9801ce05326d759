-- SPDX-License-Identifier: Apache-2.0
-- Ways to write floats, and the type without a suffix.

-- ==
-- entry: notations
-- input { } output { 1.5f64 1500f64 0.015f64 12f64 3f32 }
entry notations : (f64, f64, f64, f64, f32) = (1.5, 1.5e3, 1.5e-2, 0x1.8p3f64, 3f32)

-- A literal takes the type that its context needs, even without a dot.
-- ==
-- entry: inferred
-- input { 2f32 } output { 3.5f32 1f32 }
entry inferred (x: f32) : (f32, f32) = (x + 1.5, x - 1)
