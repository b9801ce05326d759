-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic on u64: everything wraps around at 64 bits.

-- Sum, difference, product.
-- ==
-- entry: arith
-- input { 0u64 0u64 } output { 0u64 0u64 0u64 }
-- input { 7u64 3u64 } output { 10u64 4u64 21u64 }
-- input { 18446744073709551615u64 1u64 } output { 0u64 18446744073709551614u64 18446744073709551615u64 }
-- input { 0u64 1u64 } output { 1u64 18446744073709551615u64 0u64 }
-- input { 18446744073709551615u64 18446744073709551615u64 } output { 18446744073709551614u64 0u64 1u64 }
-- input { 0u64 0u64 } output { 0u64 0u64 0u64 }
-- input { 6148914691236517205u64 5u64 } output { 6148914691236517210u64 6148914691236517200u64 12297829382473034409u64 }
-- input { 3u64 7u64 } output { 10u64 18446744073709551612u64 21u64 }
-- input { 1u64 18446744073709551615u64 } output { 0u64 2u64 18446744073709551615u64 }
entry arith (x: u64) (y: u64) : (u64, u64, u64) = (x + y, x - y, x * y)

-- Without a sign both pairs of operators agree.
-- ==
-- entry: division
-- input { 7u64 2u64 } output { 3u64 1u64 3u64 1u64 }
-- input { 6u64 3u64 } output { 2u64 0u64 2u64 0u64 }
-- input { 0u64 5u64 } output { 0u64 0u64 0u64 0u64 }
-- input { 1u64 18446744073709551615u64 } output { 0u64 1u64 0u64 1u64 }
-- input { 18446744073709551615u64 2u64 } output { 9223372036854775807u64 1u64 9223372036854775807u64 1u64 }
-- input { 18446744073709551615u64 18446744073709551615u64 } output { 1u64 0u64 1u64 0u64 }
-- input { 2u64 7u64 } output { 0u64 2u64 0u64 2u64 }
-- input { 18446744073709551615u64 3u64 } output { 6148914691236517205u64 0u64 6148914691236517205u64 0u64 }
-- input { 18446744073709551614u64 18446744073709551615u64 } output { 0u64 18446744073709551614u64 0u64 18446744073709551614u64 }
entry division (x: u64) (y: u64) : (u64, u64, u64, u64) = (x / y, x % y, x // y, x %% y)

-- Bits: and, or, exclusive or, complement.
-- ==
-- entry: bitwise
-- input { 12u64 10u64 } output { 8u64 14u64 6u64 18446744073709551603u64 }
-- input { 0u64 18446744073709551615u64 } output { 0u64 18446744073709551615u64 18446744073709551615u64 18446744073709551615u64 }
-- input { 18446744073709551615u64 85u64 } output { 85u64 18446744073709551615u64 18446744073709551530u64 0u64 }
entry bitwise (x: u64) (y: u64) : (u64, u64, u64, u64) = (x & y, x | y, x ^ y, !x)

-- Shifts; an unsigned number is shifted right logically.
-- ==
-- entry: shift
-- input { 1u64 0u64 } output { 1u64 1u64 }
-- input { 1u64 62u64 } output { 4611686018427387904u64 0u64 }
-- input { 1u64 63u64 } output { 9223372036854775808u64 0u64 }
-- input { 18446744073709551615u64 1u64 } output { 18446744073709551614u64 9223372036854775807u64 }
-- input { 18446744073709551615u64 63u64 } output { 9223372036854775808u64 1u64 }
-- input { 100u64 3u64 } output { 800u64 12u64 }
entry shift (x: u64) (s: u64) : (u64, u64) = (x << s, x >> s)

-- Powers wrap around as well; anything to the power of 0 is 1.
-- ==
-- entry: power
-- input { 2u64 0u64 } output { 1u64 }
-- input { 0u64 0u64 } output { 1u64 }
-- input { 0u64 3u64 } output { 0u64 }
-- input { 2u64 62u64 } output { 4611686018427387904u64 }
-- input { 2u64 63u64 } output { 9223372036854775808u64 }
-- input { 2u64 64u64 } output { 0u64 }
-- input { 3u64 5u64 } output { 243u64 }
-- input { 3u64 41u64 } output { 18026252303461234787u64 }
-- input { 10u64 9u64 } output { 1000000000u64 }
-- input { 18446744073709551615u64 2u64 } output { 1u64 }
-- input { 18446744073709551615u64 3u64 } output { 18446744073709551615u64 }
entry power (x: u64) (y: u64) : u64 = x ** y

-- Order and equality.
-- ==
-- entry: order
-- input { 0u64 0u64 } output { false true false true true false }
-- input { 0u64 1u64 } output { true true false false false true }
-- input { 1u64 0u64 } output { false false true true false true }
-- input { 0u64 18446744073709551615u64 } output { true true false false false true }
-- input { 18446744073709551615u64 0u64 } output { false false true true false true }
-- input { 18446744073709551615u64 18446744073709551614u64 } output { false false true true false true }
entry order (x: u64) (y: u64) : (bool, bool, bool, bool, bool, bool) =
  (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- Negation, absolute value, sign.
-- ==
-- entry: sign
-- input { 0u64 } output { 0u64 0u64 0u64 }
-- input { 1u64 } output { 18446744073709551615u64 1u64 1u64 }
-- input { 18446744073709551615u64 } output { 1u64 18446744073709551615u64 1u64 }
entry sign (x: u64) : (u64, u64, u64) = (-x, u64.abs x, u64.sgn x)

-- Smaller, larger, and the limits of the type.
-- ==
-- entry: extremes
-- input { 0u64 0u64 } output { 0u64 0u64 0u64 18446744073709551615u64 }
-- input { 0u64 1u64 } output { 0u64 1u64 0u64 18446744073709551615u64 }
-- input { 1u64 0u64 } output { 0u64 1u64 0u64 18446744073709551615u64 }
-- input { 0u64 18446744073709551615u64 } output { 0u64 18446744073709551615u64 0u64 18446744073709551615u64 }
-- input { 18446744073709551615u64 0u64 } output { 0u64 18446744073709551615u64 0u64 18446744073709551615u64 }
-- input { 18446744073709551615u64 18446744073709551614u64 } output { 18446744073709551614u64 18446744073709551615u64 0u64 18446744073709551615u64 }
entry extremes (x: u64) (y: u64) : (u64, u64, u64, u64) =
  (u64.min x y, u64.max x y, u64.lowest, u64.highest)

-- Counting bits: set, leading zeros, trailing zeros.
-- ==
-- entry: count_bits
-- input { 0u64 } output { 0i32 64i32 64i32 }
-- input { 1u64 } output { 1i32 63i32 0i32 }
-- input { 18446744073709551615u64 } output { 64i32 0i32 0i32 }
-- input { 40u64 } output { 2i32 58i32 3i32 }
-- input { 9223372036854775808u64 } output { 1i32 0i32 63i32 }
entry count_bits (x: u64) : (i32, i32, i32) = (u64.popc x, u64.clz x, u64.ctz x)
