-- SPDX-License-Identifier: Apache-2.0
-- Dividing integers by zero, with all four operators.

-- ==
-- entry: by_zero
-- input { 6i32 3i32 } output { 2i32 }
-- input { 6i32 0i32 } error: division by zero
entry by_zero (x: i32) (y: i32) : i32 = x / y

-- ==
-- entry: remainder
-- input { 7u8 4u8 } output { 3u8 }
-- input { 7u8 0u8 } error: division by zero
entry remainder (x: u8) (y: u8) : u8 = x % y

-- ==
-- entry: toward_zero
-- input { -7i64 2i64 } output { -3i64 }
-- input { -7i64 0i64 } error: division by zero
entry toward_zero (x: i64) (y: i64) : i64 = x // y

-- ==
-- entry: remainder_toward_zero
-- input { -7i16 2i16 } output { -1i16 }
-- input { -7i16 0i16 } error: division by zero
entry remainder_toward_zero (x: i16) (y: i16) : i16 = x %% y

-- ==
-- entry: in_map
-- input { [1i32, 2i32] } output { [12i32, 6i32] }
-- input { [1i32, 0i32] } error: division by zero
entry in_map [n] (xs: [n]i32) : [n]i32 = map (12 /) xs
