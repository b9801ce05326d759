-- SPDX-License-Identifier: Apache-2.0
-- Arithmetic on i64: everything wraps around at 64 bits.

-- Sum, difference, product.
-- ==
-- entry: arith
-- input { 0i64 0i64 } output { 0i64 0i64 0i64 }
-- input { 7i64 3i64 } output { 10i64 4i64 21i64 }
-- input { 9223372036854775807i64 1i64 } output { -9223372036854775808i64 9223372036854775806i64 9223372036854775807i64 }
-- input { -9223372036854775808i64 1i64 } output { -9223372036854775807i64 9223372036854775807i64 -9223372036854775808i64 }
-- input { 9223372036854775807i64 9223372036854775807i64 } output { -2i64 0i64 1i64 }
-- input { -9223372036854775808i64 -9223372036854775808i64 } output { 0i64 0i64 0i64 }
-- input { 3074457345618258602i64 5i64 } output { 3074457345618258607i64 3074457345618258597i64 -3074457345618258606i64 }
-- input { -7i64 3i64 } output { -4i64 -10i64 -21i64 }
-- input { -9223372036854775808i64 -1i64 } output { 9223372036854775807i64 -9223372036854775807i64 -9223372036854775808i64 }
-- input { -9223372036854775808i64 9223372036854775807i64 } output { -1i64 1i64 -9223372036854775808i64 }
entry arith (x: i64) (y: i64) : (i64, i64, i64) = (x + y, x - y, x * y)

-- `/` and `%` round toward negative infinity, `//` and `%%` toward zero.
-- ==
-- entry: division
-- input { 7i64 2i64 } output { 3i64 1i64 3i64 1i64 }
-- input { 6i64 3i64 } output { 2i64 0i64 2i64 0i64 }
-- input { 0i64 5i64 } output { 0i64 0i64 0i64 0i64 }
-- input { 1i64 9223372036854775807i64 } output { 0i64 1i64 0i64 1i64 }
-- input { 9223372036854775807i64 2i64 } output { 4611686018427387903i64 1i64 4611686018427387903i64 1i64 }
-- input { 9223372036854775807i64 9223372036854775807i64 } output { 1i64 0i64 1i64 0i64 }
-- input { -7i64 2i64 } output { -4i64 1i64 -3i64 -1i64 }
-- input { 7i64 -2i64 } output { -4i64 -1i64 -3i64 1i64 }
-- input { -7i64 -2i64 } output { 3i64 -1i64 3i64 -1i64 }
-- input { -6i64 3i64 } output { -2i64 0i64 -2i64 0i64 }
-- input { 6i64 -3i64 } output { -2i64 0i64 -2i64 0i64 }
-- input { -1i64 9223372036854775807i64 } output { -1i64 9223372036854775806i64 0i64 -1i64 }
-- input { -9223372036854775808i64 2i64 } output { -4611686018427387904i64 0i64 -4611686018427387904i64 0i64 }
-- input { -9223372036854775808i64 9223372036854775807i64 } output { -2i64 9223372036854775806i64 -1i64 -1i64 }
-- input { -9223372036854775808i64 -9223372036854775808i64 } output { 1i64 0i64 1i64 0i64 }
-- input { 9223372036854775807i64 -1i64 } output { -9223372036854775807i64 0i64 -9223372036854775807i64 0i64 }
-- input { 1i64 -3i64 } output { -1i64 -2i64 0i64 1i64 }
-- input { -1i64 -3i64 } output { 0i64 -1i64 0i64 -1i64 }
entry division (x: i64) (y: i64) : (i64, i64, i64, i64) = (x / y, x % y, x // y, x %% y)

-- Bits: and, or, exclusive or, complement.
-- ==
-- entry: bitwise
-- input { 12i64 10i64 } output { 8i64 14i64 6i64 -13i64 }
-- input { 0i64 9223372036854775807i64 } output { 0i64 9223372036854775807i64 9223372036854775807i64 -1i64 }
-- input { 9223372036854775807i64 85i64 } output { 85i64 9223372036854775807i64 9223372036854775722i64 -9223372036854775808i64 }
-- input { -1i64 9223372036854775807i64 } output { 9223372036854775807i64 -1i64 -9223372036854775808i64 0i64 }
-- input { -9223372036854775808i64 -1i64 } output { -9223372036854775808i64 -1i64 9223372036854775807i64 9223372036854775807i64 }
-- input { -12i64 10i64 } output { 0i64 -2i64 -2i64 11i64 }
entry bitwise (x: i64) (y: i64) : (i64, i64, i64, i64) = (x & y, x | y, x ^ y, !x)

-- Shifts; a signed number is shifted right arithmetically.
-- ==
-- entry: shift
-- input { 1i64 0i64 } output { 1i64 1i64 }
-- input { 1i64 62i64 } output { 4611686018427387904i64 0i64 }
-- input { 1i64 63i64 } output { -9223372036854775808i64 0i64 }
-- input { 9223372036854775807i64 1i64 } output { -2i64 4611686018427387903i64 }
-- input { 9223372036854775807i64 63i64 } output { -9223372036854775808i64 0i64 }
-- input { 100i64 3i64 } output { 800i64 12i64 }
-- input { -1i64 1i64 } output { -2i64 -1i64 }
-- input { -9223372036854775808i64 63i64 } output { 0i64 -1i64 }
-- input { -100i64 3i64 } output { -800i64 -13i64 }
entry shift (x: i64) (s: i64) : (i64, i64) = (x << s, x >> s)

-- Powers wrap around as well; anything to the power of 0 is 1.
-- ==
-- entry: power
-- input { 2i64 0i64 } output { 1i64 }
-- input { 0i64 0i64 } output { 1i64 }
-- input { 0i64 3i64 } output { 0i64 }
-- input { 2i64 62i64 } output { 4611686018427387904i64 }
-- input { 2i64 63i64 } output { -9223372036854775808i64 }
-- input { 2i64 64i64 } output { 0i64 }
-- input { 3i64 5i64 } output { 243i64 }
-- input { 3i64 41i64 } output { -420491770248316829i64 }
-- input { 10i64 9i64 } output { 1000000000i64 }
-- input { 9223372036854775807i64 2i64 } output { 1i64 }
-- input { 9223372036854775807i64 3i64 } output { 9223372036854775807i64 }
-- input { -1i64 5i64 } output { -1i64 }
-- input { -2i64 3i64 } output { -8i64 }
-- input { -3i64 4i64 } output { 81i64 }
-- input { -9223372036854775808i64 2i64 } output { 0i64 }
entry power (x: i64) (y: i64) : i64 = x ** y

-- Order and equality.
-- ==
-- entry: order
-- input { 0i64 0i64 } output { false true false true true false }
-- input { 0i64 1i64 } output { true true false false false true }
-- input { 1i64 0i64 } output { false false true true false true }
-- input { -9223372036854775808i64 9223372036854775807i64 } output { true true false false false true }
-- input { 9223372036854775807i64 -9223372036854775808i64 } output { false false true true false true }
-- input { 9223372036854775807i64 9223372036854775806i64 } output { false false true true false true }
-- input { -1i64 0i64 } output { true true false false false true }
-- input { -1i64 1i64 } output { true true false false false true }
-- input { -9223372036854775808i64 -1i64 } output { true true false false false true }
entry order (x: i64) (y: i64) : (bool, bool, bool, bool, bool, bool) =
  (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- Negation, absolute value, sign.
-- ==
-- entry: sign
-- input { 0i64 } output { 0i64 0i64 0i64 }
-- input { 1i64 } output { -1i64 1i64 1i64 }
-- input { 9223372036854775807i64 } output { -9223372036854775807i64 9223372036854775807i64 1i64 }
-- input { -1i64 } output { 1i64 1i64 -1i64 }
-- input { -777i64 } output { 777i64 777i64 -1i64 }
-- input { -9223372036854775808i64 } output { -9223372036854775808i64 -9223372036854775808i64 -1i64 }
entry sign (x: i64) : (i64, i64, i64) = (-x, i64.abs x, i64.sgn x)

-- Smaller, larger, and the limits of the type.
-- ==
-- entry: extremes
-- input { 0i64 0i64 } output { 0i64 0i64 -9223372036854775808i64 9223372036854775807i64 }
-- input { 0i64 1i64 } output { 0i64 1i64 -9223372036854775808i64 9223372036854775807i64 }
-- input { 1i64 0i64 } output { 0i64 1i64 -9223372036854775808i64 9223372036854775807i64 }
-- input { -9223372036854775808i64 9223372036854775807i64 } output { -9223372036854775808i64 9223372036854775807i64 -9223372036854775808i64 9223372036854775807i64 }
-- input { 9223372036854775807i64 -9223372036854775808i64 } output { -9223372036854775808i64 9223372036854775807i64 -9223372036854775808i64 9223372036854775807i64 }
-- input { 9223372036854775807i64 9223372036854775806i64 } output { 9223372036854775806i64 9223372036854775807i64 -9223372036854775808i64 9223372036854775807i64 }
-- input { -1i64 1i64 } output { -1i64 1i64 -9223372036854775808i64 9223372036854775807i64 }
entry extremes (x: i64) (y: i64) : (i64, i64, i64, i64) =
  (i64.min x y, i64.max x y, i64.lowest, i64.highest)

-- Counting bits: set, leading zeros, trailing zeros.
-- ==
-- entry: count_bits
-- input { 0i64 } output { 0i32 64i32 64i32 }
-- input { 1i64 } output { 1i32 63i32 0i32 }
-- input { 9223372036854775807i64 } output { 63i32 1i32 0i32 }
-- input { 40i64 } output { 2i32 58i32 3i32 }
-- input { -1i64 } output { 64i32 0i32 0i32 }
-- input { -9223372036854775808i64 } output { 1i32 0i32 63i32 }
entry count_bits (x: i64) : (i32, i32, i32) = (i64.popc x, i64.clz x, i64.ctz x)
