-- SPDX-License-Identifier: Apache-2.0
-- The upper half of a product, and with an addend.

-- ==
-- entry: unsigned
-- input { 255u8 255u8 } output { 254u8 }
-- input { 16u8 16u8 } output { 1u8 }
-- input { 15u8 17u8 } output { 0u8 }
entry unsigned (x: u8) (y: u8) : u8 = u8.mul_hi x y

-- ==
-- entry: signed
-- input { 2147483647i32 4i32 } output { 1i32 }
-- input { -1i32 1i32 } output { -1i32 }
-- input { -2147483648i32 -2147483648i32 } output { 1073741824i32 }
entry signed (x: i32) (y: i32) : i32 = i32.mul_hi x y

-- ==
-- entry: wide
-- input { 18446744073709551615u64 18446744073709551615u64 } output { 18446744073709551614u64 }
-- input { 4294967296u64 4294967296u64 } output { 1u64 }
entry wide (x: u64) (y: u64) : u64 = u64.mul_hi x y
