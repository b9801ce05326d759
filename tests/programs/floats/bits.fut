-- SPDX-License-Identifier: Apache-2.0
-- Floats as bits and back.

-- ==
-- entry: to_bits
-- input { 1f32 1f64 } output { 1065353216u32 4607182418800017408u64 }
-- input { -0f32 -0f64 } output { 2147483648u32 9223372036854775808u64 }
-- input { f32.inf f64.inf } output { 2139095040u32 9218868437227405312u64 }
entry to_bits (x: f32) (y: f64) : (u32, u64) = (f32.to_bits x, f64.to_bits y)

-- ==
-- entry: from_bits
-- input { 1073741824u32 } output { 2f32 }
-- input { 3204448256u32 } output { -0.5f32 }
entry from_bits (x: u32) : f32 = f32.from_bits x

-- ==
-- entry: round_trip
-- input { 0.1f32 } output { true }
-- input { -123456.789f32 } output { true }
entry round_trip (x: f32) : bool = f32.from_bits (f32.to_bits x) == x
