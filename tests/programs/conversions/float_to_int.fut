-- SPDX-License-Identifier: Apache-2.0
-- Toward zero; NaN and the infinities become 0.

-- ==
-- entry: f32_to_i32
-- input { 2.9f32 } output { 2i32 }
-- input { -2.9f32 } output { -2i32 }
-- input { 0.5f32 } output { 0i32 }
-- input { 16777216f32 } output { 16777216i32 }
-- input { f32.nan } output { 0i32 }
-- input { f32.inf } output { 0i32 }
-- input { -f32.inf } output { 0i32 }
entry f32_to_i32 (x: f32) : i32 = i32.f32 x

-- ==
-- entry: f64_to_many
-- input { 200.7f64 } output { 200u8 200i16 200u32 200i64 200u64 }
-- input { 0f64 } output { 0u8 0i16 0u32 0i64 0u64 }
entry f64_to_many (x: f64) : (u8, i16, u32, i64, u64) = (u8.f64 x, i16.f64 x, u32.f64 x, i64.f64 x, u64.f64 x)

-- ==
-- entry: f64_to_large
-- input { 9007199254740993f64 } output { 9007199254740992i64 }
-- input { -1e18f64 } output { -1000000000000000000i64 }
entry f64_to_large (x: f64) : i64 = i64.f64 x

-- ==
-- entry: f16_to_i32
-- input { 1.75f16 } output { 1i32 }
-- input { -65504f16 } output { -65504i32 }
-- input { f16.nan } output { 0i32 }
entry f16_to_i32 (x: f16) : i32 = i32.f16 x
