-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic on u8: everything wraps around at 8 bits.

-- Sum, difference, product.
-- ==
-- entry: arith
-- input { 0u8 0u8 } output { 0u8 0u8 0u8 }
-- input { 7u8 3u8 } output { 10u8 4u8 21u8 }
-- input { 255u8 1u8 } output { 0u8 254u8 255u8 }
-- input { 0u8 1u8 } output { 1u8 255u8 0u8 }
-- input { 255u8 255u8 } output { 254u8 0u8 1u8 }
-- input { 0u8 0u8 } output { 0u8 0u8 0u8 }
-- input { 85u8 5u8 } output { 90u8 80u8 169u8 }
-- input { 3u8 7u8 } output { 10u8 252u8 21u8 }
-- input { 1u8 255u8 } output { 0u8 2u8 255u8 }
entry arith (x: u8) (y: u8) : (u8, u8, u8) = (x + y, x - y, x * y)

-- Without a sign both pairs of operators agree.
-- ==
-- entry: division
-- input { 7u8 2u8 } output { 3u8 1u8 3u8 1u8 }
-- input { 6u8 3u8 } output { 2u8 0u8 2u8 0u8 }
-- input { 0u8 5u8 } output { 0u8 0u8 0u8 0u8 }
-- input { 1u8 255u8 } output { 0u8 1u8 0u8 1u8 }
-- input { 255u8 2u8 } output { 127u8 1u8 127u8 1u8 }
-- input { 255u8 255u8 } output { 1u8 0u8 1u8 0u8 }
-- input { 2u8 7u8 } output { 0u8 2u8 0u8 2u8 }
-- input { 255u8 3u8 } output { 85u8 0u8 85u8 0u8 }
-- input { 254u8 255u8 } output { 0u8 254u8 0u8 254u8 }
entry division (x: u8) (y: u8) : (u8, u8, u8, u8) = (x / y, x % y, x // y, x %% y)

-- Bits: and, or, exclusive or, complement.
-- ==
-- entry: bitwise
-- input { 12u8 10u8 } output { 8u8 14u8 6u8 243u8 }
-- input { 0u8 255u8 } output { 0u8 255u8 255u8 255u8 }
-- input { 255u8 85u8 } output { 85u8 255u8 170u8 0u8 }
entry bitwise (x: u8) (y: u8) : (u8, u8, u8, u8) = (x & y, x | y, x ^ y, !x)

-- Shifts; an unsigned number is shifted right logically.
-- ==
-- entry: shift
-- input { 1u8 0u8 } output { 1u8 1u8 }
-- input { 1u8 6u8 } output { 64u8 0u8 }
-- input { 1u8 7u8 } output { 128u8 0u8 }
-- input { 255u8 1u8 } output { 254u8 127u8 }
-- input { 255u8 7u8 } output { 128u8 1u8 }
-- input { 100u8 3u8 } output { 32u8 12u8 }
entry shift (x: u8) (s: u8) : (u8, u8) = (x << s, x >> s)

-- Powers wrap around as well; anything to the power of 0 is 1.
-- ==
-- entry: power
-- input { 2u8 0u8 } output { 1u8 }
-- input { 0u8 0u8 } output { 1u8 }
-- input { 0u8 3u8 } output { 0u8 }
-- input { 2u8 6u8 } output { 64u8 }
-- input { 2u8 7u8 } output { 128u8 }
-- input { 2u8 8u8 } output { 0u8 }
-- input { 3u8 5u8 } output { 243u8 }
-- input { 3u8 41u8 } output { 99u8 }
-- input { 10u8 9u8 } output { 0u8 }
-- input { 255u8 2u8 } output { 1u8 }
-- input { 255u8 3u8 } output { 255u8 }
entry power (x: u8) (y: u8) : u8 = x ** y

-- Order and equality.
-- ==
-- entry: order
-- input { 0u8 0u8 } output { false true false true true false }
-- input { 0u8 1u8 } output { true true false false false true }
-- input { 1u8 0u8 } output { false false true true false true }
-- input { 0u8 255u8 } output { true true false false false true }
-- input { 255u8 0u8 } output { false false true true false true }
-- input { 255u8 254u8 } output { false false true true false true }
entry order (x: u8) (y: u8) : (bool, bool, bool, bool, bool, bool) =
  (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- Negation, absolute value, sign.
-- ==
-- entry: sign
-- input { 0u8 } output { 0u8 0u8 0u8 }
-- input { 1u8 } output { 255u8 1u8 1u8 }
-- input { 255u8 } output { 1u8 255u8 1u8 }
entry sign (x: u8) : (u8, u8, u8) = (-x, u8.abs x, u8.sgn x)

-- Smaller, larger, and the limits of the type.
-- ==
-- entry: extremes
-- input { 0u8 0u8 } output { 0u8 0u8 0u8 255u8 }
-- input { 0u8 1u8 } output { 0u8 1u8 0u8 255u8 }
-- input { 1u8 0u8 } output { 0u8 1u8 0u8 255u8 }
-- input { 0u8 255u8 } output { 0u8 255u8 0u8 255u8 }
-- input { 255u8 0u8 } output { 0u8 255u8 0u8 255u8 }
-- input { 255u8 254u8 } output { 254u8 255u8 0u8 255u8 }
entry extremes (x: u8) (y: u8) : (u8, u8, u8, u8) =
  (u8.min x y, u8.max x y, u8.lowest, u8.highest)

-- Counting bits: set, leading zeros, trailing zeros.
-- ==
-- entry: count_bits
-- input { 0u8 } output { 0i32 8i32 8i32 }
-- input { 1u8 } output { 1i32 7i32 0i32 }
-- input { 255u8 } output { 8i32 0i32 0i32 }
-- input { 40u8 } output { 2i32 2i32 3i32 }
-- input { 128u8 } output { 1i32 0i32 7i32 }
entry count_bits (x: u8) : (i32, i32, i32) = (u8.popc x, u8.clz x, u8.ctz x)
