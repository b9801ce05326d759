-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic on i8: everything wraps around at 8 bits.

-- Sum, difference, product.
-- ==
-- entry: arith
-- input { 0i8 0i8 } output { 0i8 0i8 0i8 }
-- input { 7i8 3i8 } output { 10i8 4i8 21i8 }
-- input { 127i8 1i8 } output { -128i8 126i8 127i8 }
-- input { -128i8 1i8 } output { -127i8 127i8 -128i8 }
-- input { 127i8 127i8 } output { -2i8 0i8 1i8 }
-- input { -128i8 -128i8 } output { 0i8 0i8 0i8 }
-- input { 42i8 5i8 } output { 47i8 37i8 -46i8 }
-- input { -7i8 3i8 } output { -4i8 -10i8 -21i8 }
-- input { -128i8 -1i8 } output { 127i8 -127i8 -128i8 }
-- input { -128i8 127i8 } output { -1i8 1i8 -128i8 }
entry arith (x: i8) (y: i8) : (i8, i8, i8) = (x + y, x - y, x * y)

-- `/` and `%` round toward negative infinity, `//` and `%%` toward zero.
-- ==
-- entry: division
-- input { 7i8 2i8 } output { 3i8 1i8 3i8 1i8 }
-- input { 6i8 3i8 } output { 2i8 0i8 2i8 0i8 }
-- input { 0i8 5i8 } output { 0i8 0i8 0i8 0i8 }
-- input { 1i8 127i8 } output { 0i8 1i8 0i8 1i8 }
-- input { 127i8 2i8 } output { 63i8 1i8 63i8 1i8 }
-- input { 127i8 127i8 } output { 1i8 0i8 1i8 0i8 }
-- input { -7i8 2i8 } output { -4i8 1i8 -3i8 -1i8 }
-- input { 7i8 -2i8 } output { -4i8 -1i8 -3i8 1i8 }
-- input { -7i8 -2i8 } output { 3i8 -1i8 3i8 -1i8 }
-- input { -6i8 3i8 } output { -2i8 0i8 -2i8 0i8 }
-- input { 6i8 -3i8 } output { -2i8 0i8 -2i8 0i8 }
-- input { -1i8 127i8 } output { -1i8 126i8 0i8 -1i8 }
-- input { -128i8 2i8 } output { -64i8 0i8 -64i8 0i8 }
-- input { -128i8 127i8 } output { -2i8 126i8 -1i8 -1i8 }
-- input { -128i8 -128i8 } output { 1i8 0i8 1i8 0i8 }
-- input { 127i8 -1i8 } output { -127i8 0i8 -127i8 0i8 }
-- input { 1i8 -3i8 } output { -1i8 -2i8 0i8 1i8 }
-- input { -1i8 -3i8 } output { 0i8 -1i8 0i8 -1i8 }
entry division (x: i8) (y: i8) : (i8, i8, i8, i8) = (x / y, x % y, x // y, x %% y)

-- Bits: and, or, exclusive or, complement.
-- ==
-- entry: bitwise
-- input { 12i8 10i8 } output { 8i8 14i8 6i8 -13i8 }
-- input { 0i8 127i8 } output { 0i8 127i8 127i8 -1i8 }
-- input { 127i8 85i8 } output { 85i8 127i8 42i8 -128i8 }
-- input { -1i8 127i8 } output { 127i8 -1i8 -128i8 0i8 }
-- input { -128i8 -1i8 } output { -128i8 -1i8 127i8 127i8 }
-- input { -12i8 10i8 } output { 0i8 -2i8 -2i8 11i8 }
entry bitwise (x: i8) (y: i8) : (i8, i8, i8, i8) = (x & y, x | y, x ^ y, !x)

-- Shifts; a signed number is shifted right arithmetically.
-- ==
-- entry: shift
-- input { 1i8 0i8 } output { 1i8 1i8 }
-- input { 1i8 6i8 } output { 64i8 0i8 }
-- input { 1i8 7i8 } output { -128i8 0i8 }
-- input { 127i8 1i8 } output { -2i8 63i8 }
-- input { 127i8 7i8 } output { -128i8 0i8 }
-- input { 100i8 3i8 } output { 32i8 12i8 }
-- input { -1i8 1i8 } output { -2i8 -1i8 }
-- input { -128i8 7i8 } output { 0i8 -1i8 }
-- input { -100i8 3i8 } output { -32i8 -13i8 }
entry shift (x: i8) (s: i8) : (i8, i8) = (x << s, x >> s)

-- Powers wrap around as well; anything to the power of 0 is 1.
-- ==
-- entry: power
-- input { 2i8 0i8 } output { 1i8 }
-- input { 0i8 0i8 } output { 1i8 }
-- input { 0i8 3i8 } output { 0i8 }
-- input { 2i8 6i8 } output { 64i8 }
-- input { 2i8 7i8 } output { -128i8 }
-- input { 2i8 8i8 } output { 0i8 }
-- input { 3i8 5i8 } output { -13i8 }
-- input { 3i8 41i8 } output { 99i8 }
-- input { 10i8 9i8 } output { 0i8 }
-- input { 127i8 2i8 } output { 1i8 }
-- input { 127i8 3i8 } output { 127i8 }
-- input { -1i8 5i8 } output { -1i8 }
-- input { -2i8 3i8 } output { -8i8 }
-- input { -3i8 4i8 } output { 81i8 }
-- input { -128i8 2i8 } output { 0i8 }
entry power (x: i8) (y: i8) : i8 = x ** y

-- Order and equality.
-- ==
-- entry: order
-- input { 0i8 0i8 } output { false true false true true false }
-- input { 0i8 1i8 } output { true true false false false true }
-- input { 1i8 0i8 } output { false false true true false true }
-- input { -128i8 127i8 } output { true true false false false true }
-- input { 127i8 -128i8 } output { false false true true false true }
-- input { 127i8 126i8 } output { false false true true false true }
-- input { -1i8 0i8 } output { true true false false false true }
-- input { -1i8 1i8 } output { true true false false false true }
-- input { -128i8 -1i8 } output { true true false false false true }
entry order (x: i8) (y: i8) : (bool, bool, bool, bool, bool, bool) =
  (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- Negation, absolute value, sign.
-- ==
-- entry: sign
-- input { 0i8 } output { 0i8 0i8 0i8 }
-- input { 1i8 } output { -1i8 1i8 1i8 }
-- input { 127i8 } output { -127i8 127i8 1i8 }
-- input { -1i8 } output { 1i8 1i8 -1i8 }
-- input { -77i8 } output { 77i8 77i8 -1i8 }
-- input { -128i8 } output { -128i8 -128i8 -1i8 }
entry sign (x: i8) : (i8, i8, i8) = (-x, i8.abs x, i8.sgn x)

-- Smaller, larger, and the limits of the type.
-- ==
-- entry: extremes
-- input { 0i8 0i8 } output { 0i8 0i8 -128i8 127i8 }
-- input { 0i8 1i8 } output { 0i8 1i8 -128i8 127i8 }
-- input { 1i8 0i8 } output { 0i8 1i8 -128i8 127i8 }
-- input { -128i8 127i8 } output { -128i8 127i8 -128i8 127i8 }
-- input { 127i8 -128i8 } output { -128i8 127i8 -128i8 127i8 }
-- input { 127i8 126i8 } output { 126i8 127i8 -128i8 127i8 }
-- input { -1i8 1i8 } output { -1i8 1i8 -128i8 127i8 }
entry extremes (x: i8) (y: i8) : (i8, i8, i8, i8) =
  (i8.min x y, i8.max x y, i8.lowest, i8.highest)

-- Counting bits: set, leading zeros, trailing zeros.
-- ==
-- entry: count_bits
-- input { 0i8 } output { 0i32 8i32 8i32 }
-- input { 1i8 } output { 1i32 7i32 0i32 }
-- input { 127i8 } output { 7i32 1i32 0i32 }
-- input { 40i8 } output { 2i32 2i32 3i32 }
-- input { -1i8 } output { 8i32 0i32 0i32 }
-- input { -128i8 } output { 1i32 0i32 7i32 }
entry count_bits (x: i8) : (i32, i32, i32) = (i8.popc x, i8.clz x, i8.ctz x)
