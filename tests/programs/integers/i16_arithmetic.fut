-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic on i16: everything wraps around at 16 bits.

-- Sum, difference, product.
-- ==
-- entry: arith
-- input { 0i16 0i16 } output { 0i16 0i16 0i16 }
-- input { 7i16 3i16 } output { 10i16 4i16 21i16 }
-- input { 32767i16 1i16 } output { -32768i16 32766i16 32767i16 }
-- input { -32768i16 1i16 } output { -32767i16 32767i16 -32768i16 }
-- input { 32767i16 32767i16 } output { -2i16 0i16 1i16 }
-- input { -32768i16 -32768i16 } output { 0i16 0i16 0i16 }
-- input { 10922i16 5i16 } output { 10927i16 10917i16 -10926i16 }
-- input { -7i16 3i16 } output { -4i16 -10i16 -21i16 }
-- input { -32768i16 -1i16 } output { 32767i16 -32767i16 -32768i16 }
-- input { -32768i16 32767i16 } output { -1i16 1i16 -32768i16 }
entry arith (x: i16) (y: i16) : (i16, i16, i16) = (x + y, x - y, x * y)

-- `/` and `%` round toward negative infinity, `//` and `%%` toward zero.
-- ==
-- entry: division
-- input { 7i16 2i16 } output { 3i16 1i16 3i16 1i16 }
-- input { 6i16 3i16 } output { 2i16 0i16 2i16 0i16 }
-- input { 0i16 5i16 } output { 0i16 0i16 0i16 0i16 }
-- input { 1i16 32767i16 } output { 0i16 1i16 0i16 1i16 }
-- input { 32767i16 2i16 } output { 16383i16 1i16 16383i16 1i16 }
-- input { 32767i16 32767i16 } output { 1i16 0i16 1i16 0i16 }
-- input { -7i16 2i16 } output { -4i16 1i16 -3i16 -1i16 }
-- input { 7i16 -2i16 } output { -4i16 -1i16 -3i16 1i16 }
-- input { -7i16 -2i16 } output { 3i16 -1i16 3i16 -1i16 }
-- input { -6i16 3i16 } output { -2i16 0i16 -2i16 0i16 }
-- input { 6i16 -3i16 } output { -2i16 0i16 -2i16 0i16 }
-- input { -1i16 32767i16 } output { -1i16 32766i16 0i16 -1i16 }
-- input { -32768i16 2i16 } output { -16384i16 0i16 -16384i16 0i16 }
-- input { -32768i16 32767i16 } output { -2i16 32766i16 -1i16 -1i16 }
-- input { -32768i16 -32768i16 } output { 1i16 0i16 1i16 0i16 }
-- input { 32767i16 -1i16 } output { -32767i16 0i16 -32767i16 0i16 }
-- input { 1i16 -3i16 } output { -1i16 -2i16 0i16 1i16 }
-- input { -1i16 -3i16 } output { 0i16 -1i16 0i16 -1i16 }
entry division (x: i16) (y: i16) : (i16, i16, i16, i16) = (x / y, x % y, x // y, x %% y)

-- Bits: and, or, exclusive or, complement.
-- ==
-- entry: bitwise
-- input { 12i16 10i16 } output { 8i16 14i16 6i16 -13i16 }
-- input { 0i16 32767i16 } output { 0i16 32767i16 32767i16 -1i16 }
-- input { 32767i16 85i16 } output { 85i16 32767i16 32682i16 -32768i16 }
-- input { -1i16 32767i16 } output { 32767i16 -1i16 -32768i16 0i16 }
-- input { -32768i16 -1i16 } output { -32768i16 -1i16 32767i16 32767i16 }
-- input { -12i16 10i16 } output { 0i16 -2i16 -2i16 11i16 }
entry bitwise (x: i16) (y: i16) : (i16, i16, i16, i16) = (x & y, x | y, x ^ y, !x)

-- Shifts; a signed number is shifted right arithmetically.
-- ==
-- entry: shift
-- input { 1i16 0i16 } output { 1i16 1i16 }
-- input { 1i16 14i16 } output { 16384i16 0i16 }
-- input { 1i16 15i16 } output { -32768i16 0i16 }
-- input { 32767i16 1i16 } output { -2i16 16383i16 }
-- input { 32767i16 15i16 } output { -32768i16 0i16 }
-- input { 100i16 3i16 } output { 800i16 12i16 }
-- input { -1i16 1i16 } output { -2i16 -1i16 }
-- input { -32768i16 15i16 } output { 0i16 -1i16 }
-- input { -100i16 3i16 } output { -800i16 -13i16 }
entry shift (x: i16) (s: i16) : (i16, i16) = (x << s, x >> s)

-- Powers wrap around as well; anything to the power of 0 is 1.
-- ==
-- entry: power
-- input { 2i16 0i16 } output { 1i16 }
-- input { 0i16 0i16 } output { 1i16 }
-- input { 0i16 3i16 } output { 0i16 }
-- input { 2i16 14i16 } output { 16384i16 }
-- input { 2i16 15i16 } output { -32768i16 }
-- input { 2i16 16i16 } output { 0i16 }
-- input { 3i16 5i16 } output { 243i16 }
-- input { 3i16 41i16 } output { -18333i16 }
-- input { 10i16 9i16 } output { -13824i16 }
-- input { 32767i16 2i16 } output { 1i16 }
-- input { 32767i16 3i16 } output { 32767i16 }
-- input { -1i16 5i16 } output { -1i16 }
-- input { -2i16 3i16 } output { -8i16 }
-- input { -3i16 4i16 } output { 81i16 }
-- input { -32768i16 2i16 } output { 0i16 }
entry power (x: i16) (y: i16) : i16 = x ** y

-- Order and equality.
-- ==
-- entry: order
-- input { 0i16 0i16 } output { false true false true true false }
-- input { 0i16 1i16 } output { true true false false false true }
-- input { 1i16 0i16 } output { false false true true false true }
-- input { -32768i16 32767i16 } output { true true false false false true }
-- input { 32767i16 -32768i16 } output { false false true true false true }
-- input { 32767i16 32766i16 } output { false false true true false true }
-- input { -1i16 0i16 } output { true true false false false true }
-- input { -1i16 1i16 } output { true true false false false true }
-- input { -32768i16 -1i16 } output { true true false false false true }
entry order (x: i16) (y: i16) : (bool, bool, bool, bool, bool, bool) =
  (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- Negation, absolute value, sign.
-- ==
-- entry: sign
-- input { 0i16 } output { 0i16 0i16 0i16 }
-- input { 1i16 } output { -1i16 1i16 1i16 }
-- input { 32767i16 } output { -32767i16 32767i16 1i16 }
-- input { -1i16 } output { 1i16 1i16 -1i16 }
-- input { -777i16 } output { 777i16 777i16 -1i16 }
-- input { -32768i16 } output { -32768i16 -32768i16 -1i16 }
entry sign (x: i16) : (i16, i16, i16) = (-x, i16.abs x, i16.sgn x)

-- Smaller, larger, and the limits of the type.
-- ==
-- entry: extremes
-- input { 0i16 0i16 } output { 0i16 0i16 -32768i16 32767i16 }
-- input { 0i16 1i16 } output { 0i16 1i16 -32768i16 32767i16 }
-- input { 1i16 0i16 } output { 0i16 1i16 -32768i16 32767i16 }
-- input { -32768i16 32767i16 } output { -32768i16 32767i16 -32768i16 32767i16 }
-- input { 32767i16 -32768i16 } output { -32768i16 32767i16 -32768i16 32767i16 }
-- input { 32767i16 32766i16 } output { 32766i16 32767i16 -32768i16 32767i16 }
-- input { -1i16 1i16 } output { -1i16 1i16 -32768i16 32767i16 }
entry extremes (x: i16) (y: i16) : (i16, i16, i16, i16) =
  (i16.min x y, i16.max x y, i16.lowest, i16.highest)

-- Counting bits: set, leading zeros, trailing zeros.
-- ==
-- entry: count_bits
-- input { 0i16 } output { 0i32 16i32 16i32 }
-- input { 1i16 } output { 1i32 15i32 0i32 }
-- input { 32767i16 } output { 15i32 1i32 0i32 }
-- input { 40i16 } output { 2i32 10i32 3i32 }
-- input { -1i16 } output { 16i32 0i32 0i32 }
-- input { -32768i16 } output { 1i32 0i32 15i32 }
entry count_bits (x: i16) : (i32, i32, i32) = (i16.popc x, i16.clz x, i16.ctz x)
