-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic on i32: everything wraps around at 32 bits.

-- Sum, difference, product.
-- ==
-- entry: arith
-- input { 0i32 0i32 } output { 0i32 0i32 0i32 }
-- input { 7i32 3i32 } output { 10i32 4i32 21i32 }
-- input { 2147483647i32 1i32 } output { -2147483648i32 2147483646i32 2147483647i32 }
-- input { -2147483648i32 1i32 } output { -2147483647i32 2147483647i32 -2147483648i32 }
-- input { 2147483647i32 2147483647i32 } output { -2i32 0i32 1i32 }
-- input { -2147483648i32 -2147483648i32 } output { 0i32 0i32 0i32 }
-- input { 715827882i32 5i32 } output { 715827887i32 715827877i32 -715827886i32 }
-- input { -7i32 3i32 } output { -4i32 -10i32 -21i32 }
-- input { -2147483648i32 -1i32 } output { 2147483647i32 -2147483647i32 -2147483648i32 }
-- input { -2147483648i32 2147483647i32 } output { -1i32 1i32 -2147483648i32 }
entry arith (x: i32) (y: i32) : (i32, i32, i32) = (x + y, x - y, x * y)

-- `/` and `%` round toward negative infinity, `//` and `%%` toward zero.
-- ==
-- entry: division
-- input { 7i32 2i32 } output { 3i32 1i32 3i32 1i32 }
-- input { 6i32 3i32 } output { 2i32 0i32 2i32 0i32 }
-- input { 0i32 5i32 } output { 0i32 0i32 0i32 0i32 }
-- input { 1i32 2147483647i32 } output { 0i32 1i32 0i32 1i32 }
-- input { 2147483647i32 2i32 } output { 1073741823i32 1i32 1073741823i32 1i32 }
-- input { 2147483647i32 2147483647i32 } output { 1i32 0i32 1i32 0i32 }
-- input { -7i32 2i32 } output { -4i32 1i32 -3i32 -1i32 }
-- input { 7i32 -2i32 } output { -4i32 -1i32 -3i32 1i32 }
-- input { -7i32 -2i32 } output { 3i32 -1i32 3i32 -1i32 }
-- input { -6i32 3i32 } output { -2i32 0i32 -2i32 0i32 }
-- input { 6i32 -3i32 } output { -2i32 0i32 -2i32 0i32 }
-- input { -1i32 2147483647i32 } output { -1i32 2147483646i32 0i32 -1i32 }
-- input { -2147483648i32 2i32 } output { -1073741824i32 0i32 -1073741824i32 0i32 }
-- input { -2147483648i32 2147483647i32 } output { -2i32 2147483646i32 -1i32 -1i32 }
-- input { -2147483648i32 -2147483648i32 } output { 1i32 0i32 1i32 0i32 }
-- input { 2147483647i32 -1i32 } output { -2147483647i32 0i32 -2147483647i32 0i32 }
-- input { 1i32 -3i32 } output { -1i32 -2i32 0i32 1i32 }
-- input { -1i32 -3i32 } output { 0i32 -1i32 0i32 -1i32 }
entry division (x: i32) (y: i32) : (i32, i32, i32, i32) = (x / y, x % y, x // y, x %% y)

-- Bits: and, or, exclusive or, complement.
-- ==
-- entry: bitwise
-- input { 12i32 10i32 } output { 8i32 14i32 6i32 -13i32 }
-- input { 0i32 2147483647i32 } output { 0i32 2147483647i32 2147483647i32 -1i32 }
-- input { 2147483647i32 85i32 } output { 85i32 2147483647i32 2147483562i32 -2147483648i32 }
-- input { -1i32 2147483647i32 } output { 2147483647i32 -1i32 -2147483648i32 0i32 }
-- input { -2147483648i32 -1i32 } output { -2147483648i32 -1i32 2147483647i32 2147483647i32 }
-- input { -12i32 10i32 } output { 0i32 -2i32 -2i32 11i32 }
entry bitwise (x: i32) (y: i32) : (i32, i32, i32, i32) = (x & y, x | y, x ^ y, !x)

-- Shifts; a signed number is shifted right arithmetically.
-- ==
-- entry: shift
-- input { 1i32 0i32 } output { 1i32 1i32 }
-- input { 1i32 30i32 } output { 1073741824i32 0i32 }
-- input { 1i32 31i32 } output { -2147483648i32 0i32 }
-- input { 2147483647i32 1i32 } output { -2i32 1073741823i32 }
-- input { 2147483647i32 31i32 } output { -2147483648i32 0i32 }
-- input { 100i32 3i32 } output { 800i32 12i32 }
-- input { -1i32 1i32 } output { -2i32 -1i32 }
-- input { -2147483648i32 31i32 } output { 0i32 -1i32 }
-- input { -100i32 3i32 } output { -800i32 -13i32 }
entry shift (x: i32) (s: i32) : (i32, i32) = (x << s, x >> s)

-- Powers wrap around as well; anything to the power of 0 is 1.
-- ==
-- entry: power
-- input { 2i32 0i32 } output { 1i32 }
-- input { 0i32 0i32 } output { 1i32 }
-- input { 0i32 3i32 } output { 0i32 }
-- input { 2i32 30i32 } output { 1073741824i32 }
-- input { 2i32 31i32 } output { -2147483648i32 }
-- input { 2i32 32i32 } output { 0i32 }
-- input { 3i32 5i32 } output { 243i32 }
-- input { 3i32 41i32 } output { 2069870691i32 }
-- input { 10i32 9i32 } output { 1000000000i32 }
-- input { 2147483647i32 2i32 } output { 1i32 }
-- input { 2147483647i32 3i32 } output { 2147483647i32 }
-- input { -1i32 5i32 } output { -1i32 }
-- input { -2i32 3i32 } output { -8i32 }
-- input { -3i32 4i32 } output { 81i32 }
-- input { -2147483648i32 2i32 } output { 0i32 }
entry power (x: i32) (y: i32) : i32 = x ** y

-- Order and equality.
-- ==
-- entry: order
-- input { 0i32 0i32 } output { false true false true true false }
-- input { 0i32 1i32 } output { true true false false false true }
-- input { 1i32 0i32 } output { false false true true false true }
-- input { -2147483648i32 2147483647i32 } output { true true false false false true }
-- input { 2147483647i32 -2147483648i32 } output { false false true true false true }
-- input { 2147483647i32 2147483646i32 } output { false false true true false true }
-- input { -1i32 0i32 } output { true true false false false true }
-- input { -1i32 1i32 } output { true true false false false true }
-- input { -2147483648i32 -1i32 } output { true true false false false true }
entry order (x: i32) (y: i32) : (bool, bool, bool, bool, bool, bool) =
  (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- Negation, absolute value, sign.
-- ==
-- entry: sign
-- input { 0i32 } output { 0i32 0i32 0i32 }
-- input { 1i32 } output { -1i32 1i32 1i32 }
-- input { 2147483647i32 } output { -2147483647i32 2147483647i32 1i32 }
-- input { -1i32 } output { 1i32 1i32 -1i32 }
-- input { -777i32 } output { 777i32 777i32 -1i32 }
-- input { -2147483648i32 } output { -2147483648i32 -2147483648i32 -1i32 }
entry sign (x: i32) : (i32, i32, i32) = (-x, i32.abs x, i32.sgn x)

-- Smaller, larger, and the limits of the type.
-- ==
-- entry: extremes
-- input { 0i32 0i32 } output { 0i32 0i32 -2147483648i32 2147483647i32 }
-- input { 0i32 1i32 } output { 0i32 1i32 -2147483648i32 2147483647i32 }
-- input { 1i32 0i32 } output { 0i32 1i32 -2147483648i32 2147483647i32 }
-- input { -2147483648i32 2147483647i32 } output { -2147483648i32 2147483647i32 -2147483648i32 2147483647i32 }
-- input { 2147483647i32 -2147483648i32 } output { -2147483648i32 2147483647i32 -2147483648i32 2147483647i32 }
-- input { 2147483647i32 2147483646i32 } output { 2147483646i32 2147483647i32 -2147483648i32 2147483647i32 }
-- input { -1i32 1i32 } output { -1i32 1i32 -2147483648i32 2147483647i32 }
entry extremes (x: i32) (y: i32) : (i32, i32, i32, i32) =
  (i32.min x y, i32.max x y, i32.lowest, i32.highest)

-- Counting bits: set, leading zeros, trailing zeros.
-- ==
-- entry: count_bits
-- input { 0i32 } output { 0i32 32i32 32i32 }
-- input { 1i32 } output { 1i32 31i32 0i32 }
-- input { 2147483647i32 } output { 31i32 1i32 0i32 }
-- input { 40i32 } output { 2i32 26i32 3i32 }
-- input { -1i32 } output { 32i32 0i32 0i32 }
-- input { -2147483648i32 } output { 1i32 0i32 31i32 }
entry count_bits (x: i32) : (i32, i32, i32) = (i32.popc x, i32.clz x, i32.ctz x)
