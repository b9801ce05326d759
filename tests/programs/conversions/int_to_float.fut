-- SPDX-License-Identifier: Apache-2.0
-- To nearest, ties to even.

-- ==
-- entry: from_i32
-- input { 3i32 } output { 3f32 3f64 3f16 }
-- input { -7i32 } output { -7f32 -7f64 -7f16 }
entry from_i32 (x: i32) : (f32, f64, f16) = (f32.i32 x, f64.i32 x, f16.i32 x)

-- 2^24 + 1 lies between two f32; 2^24 + 3 does too.
-- ==
-- entry: ties
-- input { 16777217i32 } output { true }
-- input { 16777216i32 } output { true }
-- input { 16777219i32 } output { false }
entry ties (x: i32) : bool = f32.i32 x == 16777216

-- The source decides whether the top bit is a sign.
-- ==
-- entry: signedness
-- input { 255u8 -1i8 } output { 255f32 -1f32 }
-- input { 128u8 -128i8 } output { 128f32 -128f32 }
entry signedness (x: u8) (y: i8) : (f32, f32) = (f32.u8 x, f32.i8 y)

-- ==
-- entry: wide
-- input { 18446744073709551615u64 } output { true }
-- input { 1u64 } output { false }
entry wide (x: u64) : bool = f64.u64 x == 18446744073709551616f64

-- All ranges of the wide types, and no zero with a sign.
-- ==
-- entry: ranges
-- input { [-9223372036854775808i64, -9007199254740993, -4294967296, -1, 0, 1, 9007199254740993, 9223372036854775807] [0u64, 1, 4294967296, 9007199254740995, 18446744073709551615] [-2147483648i32, -1, 0, 2147483647] [0u32, 4294967295] }
-- output { [-9223372036854775808f64, -9007199254740992, -4294967296, -1, 0, 1, 9007199254740992, 9223372036854775808] [0f64, 1, 4294967296, 9007199254740996, 18446744073709551616] [-2147483648f64, -1, 0, 2147483647] [0f64, 4294967295] 5i64 }
entry ranges [a] [b] [c] [d] (ws: [a]i64) (xs: [b]u64) (ys: [c]i32) (zs: [d]u32) =
  let (ws, xs, ys, zs) = (map f64.i64 ws, map f64.u64 xs, map f64.i32 ys, map f64.u32 zs)
  let plus x = i64.bool (f64.to_bits x >> 63 == 0)
  in (ws, xs, ys, zs, plus ws[4] + plus ws[5] + plus xs[0] + plus ys[2] + plus zs[0])
