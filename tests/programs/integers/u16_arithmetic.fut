-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic on u16: everything wraps around at 16 bits.

-- Sum, difference, product.
-- ==
-- entry: arith
-- input { 0u16 0u16 } output { 0u16 0u16 0u16 }
-- input { 7u16 3u16 } output { 10u16 4u16 21u16 }
-- input { 65535u16 1u16 } output { 0u16 65534u16 65535u16 }
-- input { 0u16 1u16 } output { 1u16 65535u16 0u16 }
-- input { 65535u16 65535u16 } output { 65534u16 0u16 1u16 }
-- input { 0u16 0u16 } output { 0u16 0u16 0u16 }
-- input { 21845u16 5u16 } output { 21850u16 21840u16 43689u16 }
-- input { 3u16 7u16 } output { 10u16 65532u16 21u16 }
-- input { 1u16 65535u16 } output { 0u16 2u16 65535u16 }
entry arith (x: u16) (y: u16) : (u16, u16, u16) = (x + y, x - y, x * y)

-- Without a sign both pairs of operators agree.
-- ==
-- entry: division
-- input { 7u16 2u16 } output { 3u16 1u16 3u16 1u16 }
-- input { 6u16 3u16 } output { 2u16 0u16 2u16 0u16 }
-- input { 0u16 5u16 } output { 0u16 0u16 0u16 0u16 }
-- input { 1u16 65535u16 } output { 0u16 1u16 0u16 1u16 }
-- input { 65535u16 2u16 } output { 32767u16 1u16 32767u16 1u16 }
-- input { 65535u16 65535u16 } output { 1u16 0u16 1u16 0u16 }
-- input { 2u16 7u16 } output { 0u16 2u16 0u16 2u16 }
-- input { 65535u16 3u16 } output { 21845u16 0u16 21845u16 0u16 }
-- input { 65534u16 65535u16 } output { 0u16 65534u16 0u16 65534u16 }
entry division (x: u16) (y: u16) : (u16, u16, u16, u16) = (x / y, x % y, x // y, x %% y)

-- Bits: and, or, exclusive or, complement.
-- ==
-- entry: bitwise
-- input { 12u16 10u16 } output { 8u16 14u16 6u16 65523u16 }
-- input { 0u16 65535u16 } output { 0u16 65535u16 65535u16 65535u16 }
-- input { 65535u16 85u16 } output { 85u16 65535u16 65450u16 0u16 }
entry bitwise (x: u16) (y: u16) : (u16, u16, u16, u16) = (x & y, x | y, x ^ y, !x)

-- Shifts; an unsigned number is shifted right logically.
-- ==
-- entry: shift
-- input { 1u16 0u16 } output { 1u16 1u16 }
-- input { 1u16 14u16 } output { 16384u16 0u16 }
-- input { 1u16 15u16 } output { 32768u16 0u16 }
-- input { 65535u16 1u16 } output { 65534u16 32767u16 }
-- input { 65535u16 15u16 } output { 32768u16 1u16 }
-- input { 100u16 3u16 } output { 800u16 12u16 }
entry shift (x: u16) (s: u16) : (u16, u16) = (x << s, x >> s)

-- Powers wrap around as well; anything to the power of 0 is 1.
-- ==
-- entry: power
-- input { 2u16 0u16 } output { 1u16 }
-- input { 0u16 0u16 } output { 1u16 }
-- input { 0u16 3u16 } output { 0u16 }
-- input { 2u16 14u16 } output { 16384u16 }
-- input { 2u16 15u16 } output { 32768u16 }
-- input { 2u16 16u16 } output { 0u16 }
-- input { 3u16 5u16 } output { 243u16 }
-- input { 3u16 41u16 } output { 47203u16 }
-- input { 10u16 9u16 } output { 51712u16 }
-- input { 65535u16 2u16 } output { 1u16 }
-- input { 65535u16 3u16 } output { 65535u16 }
entry power (x: u16) (y: u16) : u16 = x ** y

-- Order and equality.
-- ==
-- entry: order
-- input { 0u16 0u16 } output { false true false true true false }
-- input { 0u16 1u16 } output { true true false false false true }
-- input { 1u16 0u16 } output { false false true true false true }
-- input { 0u16 65535u16 } output { true true false false false true }
-- input { 65535u16 0u16 } output { false false true true false true }
-- input { 65535u16 65534u16 } output { false false true true false true }
entry order (x: u16) (y: u16) : (bool, bool, bool, bool, bool, bool) =
  (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- Negation, absolute value, sign.
-- ==
-- entry: sign
-- input { 0u16 } output { 0u16 0u16 0u16 }
-- input { 1u16 } output { 65535u16 1u16 1u16 }
-- input { 65535u16 } output { 1u16 65535u16 1u16 }
entry sign (x: u16) : (u16, u16, u16) = (-x, u16.abs x, u16.sgn x)

-- Smaller, larger, and the limits of the type.
-- ==
-- entry: extremes
-- input { 0u16 0u16 } output { 0u16 0u16 0u16 65535u16 }
-- input { 0u16 1u16 } output { 0u16 1u16 0u16 65535u16 }
-- input { 1u16 0u16 } output { 0u16 1u16 0u16 65535u16 }
-- input { 0u16 65535u16 } output { 0u16 65535u16 0u16 65535u16 }
-- input { 65535u16 0u16 } output { 0u16 65535u16 0u16 65535u16 }
-- input { 65535u16 65534u16 } output { 65534u16 65535u16 0u16 65535u16 }
entry extremes (x: u16) (y: u16) : (u16, u16, u16, u16) =
  (u16.min x y, u16.max x y, u16.lowest, u16.highest)

-- Counting bits: set, leading zeros, trailing zeros.
-- ==
-- entry: count_bits
-- input { 0u16 } output { 0i32 16i32 16i32 }
-- input { 1u16 } output { 1i32 15i32 0i32 }
-- input { 65535u16 } output { 16i32 0i32 0i32 }
-- input { 40u16 } output { 2i32 10i32 3i32 }
-- input { 32768u16 } output { 1i32 0i32 15i32 }
entry count_bits (x: u16) : (i32, i32, i32) = (u16.popc x, u16.clz x, u16.ctz x)
