-- SPDX-License-Identifier: Apache-2.0
-- Reductions with the usual operators; an empty array gives the neutral element.

-- ==
-- entry: arithmetic
-- input { [3i32, 1i32, 4i32, 1i32, 5i32] } output { 14i32 60i32 1i32 5i32 }
-- input { [-2i32] } output { -2i32 -2i32 -2i32 -2i32 }
-- input { empty([0]i32) } output { 0i32 1i32 2147483647i32 -2147483648i32 }
entry arithmetic [n] (xs: [n]i32) : (i32, i32, i32, i32) =
  (reduce (+) 0 xs, reduce (*) 1 xs, reduce i32.min i32.highest xs, reduce i32.max i32.lowest xs)

-- ==
-- entry: bitwise
-- input { [12u8, 10u8, 9u8] } output { 8u8 15u8 15u8 }
-- input { empty([0]u8) } output { 255u8 0u8 0u8 }
entry bitwise [n] (xs: [n]u8) : (u8, u8, u8) = (reduce (&) 255 xs, reduce (|) 0 xs, reduce (^) 0 xs)

-- ==
-- entry: logical
-- input { [true, false, true] } output { false true }
-- input { empty([0]bool) } output { true false }
entry logical [n] (xs: [n]bool) : (bool, bool) = (reduce (&&) true xs, reduce (||) false xs)

-- ==
-- entry: floats
-- input { [0.5f32, 0.25f32, -1f32] } output { -0.25f32 -1f32 0.5f32 }
-- input { empty([0]f32) } output { 0f32 f32.inf -f32.inf }
entry floats [n] (xs: [n]f32) : (f32, f32, f32) = (f32.sum xs, f32.minimum xs, f32.maximum xs)
