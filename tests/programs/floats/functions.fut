-- SPDX-License-Identifier: Apache-2.0
-- Functions of the modules f32 and f64 at points where the answer is known.

-- ==
-- entry: roots_and_logs
-- input { } output { 3f64 2f64 1f64 3f64 2f64 0f64 }
entry roots_and_logs : (f64, f64, f64, f64, f64, f64) =
  (f64.sqrt 9, f64.cbrt 8, f64.log f64.e, f64.log2 8, f64.log10 100, f64.log1p 0)

-- ==
-- entry: trigonometry
-- input { } output { 1f64 -1f64 1f64 0.7853981633974483f64 2.356194490192345f64 }
entry trigonometry : (f64, f64, f64, f64, f64) =
  (f64.sin (f64.pi / 2), f64.cos f64.pi, f64.tan (f64.pi / 4), f64.atan 1, f64.atan2 1 (-1))

-- ==
-- entry: inverse
-- input { 0.5f64 } output { 0.5f64 0.5f64 0.5f64 }
-- input { -0.25f64 } output { -0.25f64 -0.25f64 -0.25f64 }
entry inverse (x: f64) : (f64, f64, f64) = (f64.sin (f64.asin x), f64.cos (f64.acos x), f64.tanh (f64.atanh x))

-- ==
-- entry: exponentials
-- input { 0f32 } output { 1f32 0f32 1f32 0f32 }
-- input { 1f32 } output { 2.7182817f32 1.1752012f32 1.5430807f32 0.7615942f32 }
entry exponentials (x: f32) : (f32, f32, f32, f32) = (f32.exp x, f32.sinh x, f32.cosh x, f32.tanh x)

-- ==
-- entry: special
-- input { } output { 24f64 0f64 0f64 1f64 }
entry special : (f64, f64, f64, f64) = (f64.gamma 5, f64.lgamma 1, f64.erf 0, f64.erfc 0)

-- ==
-- entry: helpers
-- input { } output { 5f32 2.5f32 11f32 -3f32 0.25f32 }
entry helpers : (f32, f32, f32, f32, f32) =
  (f32.hypot 3 4, f32.lerp 2 4 0.25, f32.fma 2 4 3, f32.copysign 3 (-1), f32.recip 4)

-- ==
-- entry: signs
-- input { -2.5f32 } output { 2.5f32 -1f32 2.5f32 }
-- input { 2.5f32 } output { 2.5f32 1f32 -2.5f32 }
-- input { 0f32 } output { 0f32 0f32 0f32 }
entry signs (x: f32) : (f32, f32, f32) = (f32.abs x, f32.sgn x, f32.neg x)
