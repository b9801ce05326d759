-- SPDX-License-Identifier: Apache-2.0
-- true is 1, false is 0, and whatever is not zero is true.

-- ==
-- entry: to_numbers
-- input { true } output { 1i8 1i32 1u64 1f32 1f64 }
-- input { false } output { 0i8 0i32 0u64 0f32 0f64 }
entry to_numbers (x: bool) : (i8, i32, u64, f32, f64) = (i8.bool x, i32.bool x, u64.bool x, f32.bool x, f64.bool x)

-- ==
-- entry: from_numbers
-- input { 0i32 0u8 } output { false false }
-- input { -3i32 128u8 } output { true true }
entry from_numbers (x: i32) (y: u8) : (bool, bool) = (bool.i32 x, bool.u8 y)
