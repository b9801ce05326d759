-- SPDX-License-Identifier: Apache-2.0
-- A whole number has no negative power.

-- ==
-- input { 2i32 3i32 } output { 8i32 }
-- input { 2i32 -1i32 } error: [Nn]egative exponent
entry main (x: i32) (y: i32) : i32 = x ** y
