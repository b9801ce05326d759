-- SPDX-License-Identifier: Apache-2.0
-- Narrowing drops high bits.  Widening repeats the sign bit only from a signed to a signed type;
-- everything else is filled with zeros.

-- ==
-- entry: narrow
-- input { 300i32 } output { 44i8 44u8 300i16 }
-- input { -1i32 } output { -1i8 255u8 -1i16 }
-- input { 128i32 } output { -128i8 128u8 128i16 }
-- input { 65536i32 } output { 0i8 0u8 0i16 }
entry narrow (x: i32) : (i8, u8, i16) = (i8.i32 x, u8.i32 x, i16.i32 x)

-- ==
-- entry: widen_signed
-- input { -1i8 } output { -1i32 -1i64 255u32 255u64 }
-- input { 127i8 } output { 127i32 127i64 127u32 127u64 }
-- input { -128i8 } output { -128i32 -128i64 128u32 128u64 }
entry widen_signed (x: i8) : (i32, i64, u32, u64) = (i32.i8 x, i64.i8 x, u32.i8 x, u64.i8 x)

-- ==
-- entry: widen_unsigned
-- input { 255u8 } output { 255i32 255i64 255u32 255u64 }
-- input { 128u8 } output { 128i32 128i64 128u32 128u64 }
entry widen_unsigned (x: u8) : (i32, i64, u32, u64) = (i32.u8 x, i64.u8 x, u32.u8 x, u64.u8 x)

-- ==
-- entry: same_width
-- input { 4294967295u32 -1i64 } output { -1i32 18446744073709551615u64 }
-- input { 7u32 7i64 } output { 7i32 7u64 }
entry same_width (x: u32) (y: i64) : (i32, u64) = (i32.u32 x, u64.i64 y)
