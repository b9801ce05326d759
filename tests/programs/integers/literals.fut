-- SPDX-License-Identifier: Apache-2.0
-- Every way to write an integer, and what a literal means without a suffix.

-- ==
-- entry: notations
-- input { } output { 255i32 255i32 1000000i32 10i32 -128i8 1u8 65535u16 }
entry notations : (i32, i32, i32, i32, i8, u8, u16) =
  (0xFF, 0b1111_1111, 1_000_000, 10, -128i8, 257u8, 0xFFFFu16)

-- A literal takes the type that its context needs.
-- ==
-- entry: inferred
-- input { 1i64 } output { 42i64 }
-- input { -41i64 } output { 0i64 }
entry inferred (x: i64) : i64 = x + 41

-- A character is a number.
-- ==
-- entry: characters
-- input { } output { 97u8 10u8 8364i32 }
entry characters : (u8, u8, i32) = ('a', '\n', '€')
