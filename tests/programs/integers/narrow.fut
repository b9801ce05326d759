-- SPDX-License-Identifier: Apache-2.0
-- 64-bit arithmetic that fits in fewer bits gives the same numbers, also where it wraps.
-- ==
-- entry: truncated
-- input { [1, -2, 2147483647, -2147483648] [3, 5, 2147483647, -1] }
-- output { [10, -3, 8, -2147483641] [2i8, -9i8, -4i8, 3i8] [246u8, 29u8, 252u8, 255u8] }

-- ==
-- entry: compared
-- input { [0u8, 5u8, 255u8] [0i8, -1i8, 127i8] }
-- output { [true, false, false] [false, true, true] [false, false, true] [false, true, false] }

-- ==
-- entry: data
-- input { [0u8, 200u8, 255u8] [-128i8, 127i8, -1i8] [2147483647, -2147483648, 5] }
-- output { [-128i64, 25527i64, 254i64] [2147483648i64, -2147483647i64, 6i64] [4294967294i64, -4294967296i64, 10i64] }

entry truncated (xs: []i32) (ys: []i32) =
  (map2 (\x y -> i32.i64 (i64.i32 x * i64.i32 y + 7)) xs ys :> []i32,
   map2 (\x y -> i8.i64 ((i64.i32 x * 3 - i64.i32 y) ^ 2)) xs ys,
   map2 (\x y -> u8.i64 (255 - (i64.i32 x * i64.i32 y) * 3)) xs ys)

entry compared (xs: []u8) (ys: []i8) =
  (map (\x -> i64.u8 x < 5) xs,
   map (\x -> i64.u8 x >= 5) xs,
   map2 (\x y -> i64.u8 x > 300 || i64.i8 y == 127) xs ys,
   map2 (\x y -> i64.i8 y < 0 && i64.u8 x > -1) xs ys)

entry data (xs: []u8) (ys: []i8) (zs: []i32) =
  (map2 (\x y -> i64.u8 x * i64.i8 y + i64.u8 x - (if y == 127 then 73 else 0) + (if x == 0 then i64.i8 y else 0) + (if x == 255 then 254 else 0)) xs ys,
   map (\z -> i64.i32 z + 1) zs,
   map (\z -> i64.i32 z + i64.i32 z) zs)
