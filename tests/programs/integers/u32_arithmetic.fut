-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic on u32: everything wraps around at 32 bits.

-- Sum, difference, product.
-- ==
-- entry: arith
-- input { 0u32 0u32 } output { 0u32 0u32 0u32 }
-- input { 7u32 3u32 } output { 10u32 4u32 21u32 }
-- input { 4294967295u32 1u32 } output { 0u32 4294967294u32 4294967295u32 }
-- input { 0u32 1u32 } output { 1u32 4294967295u32 0u32 }
-- input { 4294967295u32 4294967295u32 } output { 4294967294u32 0u32 1u32 }
-- input { 0u32 0u32 } output { 0u32 0u32 0u32 }
-- input { 1431655765u32 5u32 } output { 1431655770u32 1431655760u32 2863311529u32 }
-- input { 3u32 7u32 } output { 10u32 4294967292u32 21u32 }
-- input { 1u32 4294967295u32 } output { 0u32 2u32 4294967295u32 }
entry arith (x: u32) (y: u32) : (u32, u32, u32) = (x + y, x - y, x * y)

-- Without a sign both pairs of operators agree.
-- ==
-- entry: division
-- input { 7u32 2u32 } output { 3u32 1u32 3u32 1u32 }
-- input { 6u32 3u32 } output { 2u32 0u32 2u32 0u32 }
-- input { 0u32 5u32 } output { 0u32 0u32 0u32 0u32 }
-- input { 1u32 4294967295u32 } output { 0u32 1u32 0u32 1u32 }
-- input { 4294967295u32 2u32 } output { 2147483647u32 1u32 2147483647u32 1u32 }
-- input { 4294967295u32 4294967295u32 } output { 1u32 0u32 1u32 0u32 }
-- input { 2u32 7u32 } output { 0u32 2u32 0u32 2u32 }
-- input { 4294967295u32 3u32 } output { 1431655765u32 0u32 1431655765u32 0u32 }
-- input { 4294967294u32 4294967295u32 } output { 0u32 4294967294u32 0u32 4294967294u32 }
entry division (x: u32) (y: u32) : (u32, u32, u32, u32) = (x / y, x % y, x // y, x %% y)

-- Bits: and, or, exclusive or, complement.
-- ==
-- entry: bitwise
-- input { 12u32 10u32 } output { 8u32 14u32 6u32 4294967283u32 }
-- input { 0u32 4294967295u32 } output { 0u32 4294967295u32 4294967295u32 4294967295u32 }
-- input { 4294967295u32 85u32 } output { 85u32 4294967295u32 4294967210u32 0u32 }
entry bitwise (x: u32) (y: u32) : (u32, u32, u32, u32) = (x & y, x | y, x ^ y, !x)

-- Shifts; an unsigned number is shifted right logically.
-- ==
-- entry: shift
-- input { 1u32 0u32 } output { 1u32 1u32 }
-- input { 1u32 30u32 } output { 1073741824u32 0u32 }
-- input { 1u32 31u32 } output { 2147483648u32 0u32 }
-- input { 4294967295u32 1u32 } output { 4294967294u32 2147483647u32 }
-- input { 4294967295u32 31u32 } output { 2147483648u32 1u32 }
-- input { 100u32 3u32 } output { 800u32 12u32 }
entry shift (x: u32) (s: u32) : (u32, u32) = (x << s, x >> s)

-- Powers wrap around as well; anything to the power of 0 is 1.
-- ==
-- entry: power
-- input { 2u32 0u32 } output { 1u32 }
-- input { 0u32 0u32 } output { 1u32 }
-- input { 0u32 3u32 } output { 0u32 }
-- input { 2u32 30u32 } output { 1073741824u32 }
-- input { 2u32 31u32 } output { 2147483648u32 }
-- input { 2u32 32u32 } output { 0u32 }
-- input { 3u32 5u32 } output { 243u32 }
-- input { 3u32 41u32 } output { 2069870691u32 }
-- input { 10u32 9u32 } output { 1000000000u32 }
-- input { 4294967295u32 2u32 } output { 1u32 }
-- input { 4294967295u32 3u32 } output { 4294967295u32 }
entry power (x: u32) (y: u32) : u32 = x ** y

-- Order and equality.
-- ==
-- entry: order
-- input { 0u32 0u32 } output { false true false true true false }
-- input { 0u32 1u32 } output { true true false false false true }
-- input { 1u32 0u32 } output { false false true true false true }
-- input { 0u32 4294967295u32 } output { true true false false false true }
-- input { 4294967295u32 0u32 } output { false false true true false true }
-- input { 4294967295u32 4294967294u32 } output { false false true true false true }
entry order (x: u32) (y: u32) : (bool, bool, bool, bool, bool, bool) =
  (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- Negation, absolute value, sign.
-- ==
-- entry: sign
-- input { 0u32 } output { 0u32 0u32 0u32 }
-- input { 1u32 } output { 4294967295u32 1u32 1u32 }
-- input { 4294967295u32 } output { 1u32 4294967295u32 1u32 }
entry sign (x: u32) : (u32, u32, u32) = (-x, u32.abs x, u32.sgn x)

-- Smaller, larger, and the limits of the type.
-- ==
-- entry: extremes
-- input { 0u32 0u32 } output { 0u32 0u32 0u32 4294967295u32 }
-- input { 0u32 1u32 } output { 0u32 1u32 0u32 4294967295u32 }
-- input { 1u32 0u32 } output { 0u32 1u32 0u32 4294967295u32 }
-- input { 0u32 4294967295u32 } output { 0u32 4294967295u32 0u32 4294967295u32 }
-- input { 4294967295u32 0u32 } output { 0u32 4294967295u32 0u32 4294967295u32 }
-- input { 4294967295u32 4294967294u32 } output { 4294967294u32 4294967295u32 0u32 4294967295u32 }
entry extremes (x: u32) (y: u32) : (u32, u32, u32, u32) =
  (u32.min x y, u32.max x y, u32.lowest, u32.highest)

-- Counting bits: set, leading zeros, trailing zeros.
-- ==
-- entry: count_bits
-- input { 0u32 } output { 0i32 32i32 32i32 }
-- input { 1u32 } output { 1i32 31i32 0i32 }
-- input { 4294967295u32 } output { 32i32 0i32 0i32 }
-- input { 40u32 } output { 2i32 26i32 3i32 }
-- input { 2147483648u32 } output { 1i32 0i32 31i32 }
entry count_bits (x: u32) : (i32, i32, i32) = (u32.popc x, u32.clz x, u32.ctz x)
