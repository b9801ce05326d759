-- SPDX-License-Identifier: Apache-2.0
-- Reading and writing single bits.

-- ==
-- entry: get_one
-- input { 0i32 5i32 } output { 1i32 }
-- input { 1i32 5i32 } output { 0i32 }
-- input { 31i32 -1i32 } output { 1i32 }
entry get_one (bit: i32) (x: i32) : i32 = i32.get_bit bit x

-- ==
-- entry: set_one
-- input { 0i32 4u8 1i32 } output { 5u8 }
-- input { 2i32 5u8 0i32 } output { 1u8 }
-- input { 7i32 0u8 1i32 } output { 128u8 }
entry set_one (bit: i32) (x: u8) (value: i32) : u8 = u8.set_bit bit x value

-- ==
-- entry: widths
-- input { } output { 8i32 16i32 32i32 64i32 }
entry widths : (i32, i32, i32, i32) = (i8.num_bits, u16.num_bits, i32.num_bits, u64.num_bits)
