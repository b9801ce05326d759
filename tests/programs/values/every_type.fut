-- SPDX-License-Identifier: Apache-2.0
-- Values of every type come in and go out unchanged.

-- ==
-- entry: integers
-- input { -128i8 -32768i16 -2147483648i32 -9223372036854775808i64 } output { -128i8 -32768i16 -2147483648i32 -9223372036854775808i64 }
-- input { 127i8 32767i16 2147483647i32 9223372036854775807i64 } output { 127i8 32767i16 2147483647i32 9223372036854775807i64 }
entry integers (a: i8) (b: i16) (c: i32) (d: i64) : (i8, i16, i32, i64) = (a, b, c, d)

-- ==
-- entry: unsigned
-- input { 255u8 65535u16 4294967295u32 18446744073709551615u64 } output { 255u8 65535u16 4294967295u32 18446744073709551615u64 }
entry unsigned (a: u8) (b: u16) (c: u32) (d: u64) : (u8, u16, u32, u64) = (a, b, c, d)

-- ==
-- entry: floats
-- input { 1.5f16 1.1f32 1.1f64 } output { 1.5f16 1.1f32 1.1f64 }
-- input { f16.nan f32.nan f64.nan } output { f16.nan f32.nan f64.nan }
-- input { -f16.inf -f32.inf -f64.inf } output { -f16.inf -f32.inf -f64.inf }
entry floats (a: f16) (b: f32) (c: f64) : (f16, f32, f64) = (a, b, c)

-- ==
-- entry: arrays
-- input { [true, false] [[1u8, 2u8], [3u8, 4u8]] [[[1f64]]] } output { [true, false] [[1u8, 2u8], [3u8, 4u8]] [[[1f64]]] }
entry arrays [n] [a] [b] (x: [n]bool) (y: [a][b]u8) (z: [1][1][1]f64) : ([n]bool, [a][b]u8, [1][1][1]f64) = (x, y, z)

-- A string stands for an array of bytes.
-- ==
-- entry: text
-- input { "ab\n" } output { [97u8, 98u8, 10u8] }
entry text [n] (x: [n]u8) : [n]u8 = x
