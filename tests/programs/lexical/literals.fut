-- SPDX-License-Identifier: Apache-2.0
-- All forms of literals.
-- ==
-- entry: integers
-- input { } output { [255, 1000000, 255, 10, 1994, 26, 5, -128] }

entry integers : []i32 =
  [255, 1_000_000, 0xff, 0b1010, 0rMCMXCIV, 0X1_a, 0b0_1_0_1, -128]

-- Suffixed literals wrap around.
-- ==
-- entry: suffixes
-- input { } output { 1u8 -1i8 65535u16 7i16 7u32 7i64 18446744073709551615u64 }

entry suffixes = (257u8, 255i8, 0xffffu16, 7i16, 0b111u32, 7i64, 0xffff_ffff_ffff_ffffu64)

-- ==
-- entry: floats
-- input { } output { [1.5f64, 1000f64, 0.25f64, 12.0f64, 3.0f64] 1f32 0.5f16 12.0f32 }

entry floats = ([1.5, 1e3, 2.5e-1, 0x1.8p3, 3f64], 1f32, 0.5f16, 0x1.8p3f32)

-- ==
-- entry: characters
-- input { } output { [97u8, 10u8, 92u8, 39u8, 65u8] 8364 [104u8, 195u8, 169u8, 10u8, 34u8, 65u8] }

entry characters : ([]u8, i32, []u8) = (['a', '\n', '\\', '\'', '\65'], '€', "hé\n\"\x41")
