-- SPDX-License-Identifier: Apache-2.0
-- Integers made of floats that are known to be small, and of those that are not, and the least and largest beside constants.

-- ==
-- entry: grey
-- input { [[0u8, 0u8, 0u8], [255u8, 255u8, 255u8], [200u8, 100u8, 50u8], [1u8, 2u8, 3u8]] } output { [0u8, 255u8, 124u8, 1u8] }
entry grey [n] (p: [n][3]u8) : [n]u8 =
  map (\c -> u8.f32 (0.3 * f32.u8 c[0] + 0.59 * f32.u8 c[1] + 0.11 * f32.u8 c[2])) p

-- ==
-- entry: clamped
-- input { [0f32, -5f32, 254.9f32, 300f32, 1e30f32, -1e30f32, f32.nan, f32.inf, -f32.inf, -0f32] }
-- output { [0u8, 0u8, 254u8, 255u8, 255u8, 0u8, 255u8, 255u8, 0u8, 0u8] }
entry clamped [n] (xs: [n]f32) : [n]u8 = map (\x -> u8.f32 (f32.max 0 (f32.min 255 x))) xs

-- ==
-- entry: floored
-- input { [0f64, -5f64, 254.9f64, 300f64, 1e300f64, -1e300f64, f64.nan, f64.inf, -f64.inf] }
-- output { [7i32, 7i32, 254i32, 300i32, 2147483647i32, 7i32, 7i32, 0i32, 7i32] }
entry floored [n] (xs: [n]f64) : [n]i32 = map (\x -> i32.f64 (f64.max 7 x)) xs

-- Just too large for the type, or just not.
-- ==
-- entry: scaled
-- input { [0u8, 127u8, 128u8, 255u8] }
-- output { [0i8, 127i8, 127i8, 127i8] [0i8, 63i8, 64i8, 127i8] [0i16, 16256i16, 16384i16, 32640i16] [0i16, 32512i16, 32767i16, 32767i16] [0u8, 254u8, 255u8, 255u8] }
entry scaled [n] (xs: [n]u8) =
  (map (\x -> i8.f32 (f32.u8 x)) xs,
   map (\x -> i8.f32 (f32.u8 x * 0.5)) xs,
   map (\x -> i16.f32 (f32.u8 x * 128)) xs,
   map (\x -> i16.f64 (f64.u8 x * 256)) xs,
   map (\x -> u8.f64 (f64.min 255 (f64.u8 x * 2))) xs)

-- ==
-- entry: signed
-- input { [-128i8, -1i8, 0i8, 127i8] }
-- output { [-64i64, 0i64, 0i64, 63i64] [-12800i32, -100i32, 0i32, 12700i32] }
entry signed [n] (xs: [n]i8) = (map (\x -> i64.f32 (f32.i8 x * 0.5)) xs, map (\x -> i32.f64 (100 * f64.i8 x)) xs)

-- Zeros keep their signs.
-- ==
-- entry: zeros
-- input { [0f32, -0f32, f32.nan] }
-- output { [f32.inf, f32.inf, f32.inf] [f32.inf, -f32.inf, f32.inf] [-f32.inf, -f32.inf, -f32.inf] [f32.inf, -f32.inf, -f32.inf] }
entry zeros [n] (xs: [n]f32) =
  (map (\x -> 1 / f32.max x 0) xs, map (\x -> 1 / f32.min 0 x) xs, map (\x -> 1 / f32.min x (-0.0)) xs, map (\x -> 1 / f32.max (-0.0) x) xs)

-- ==
-- entry: many
-- input { 1000i64 } output { true }
entry many (n: i64) =
  let a = map (\i -> u8.f32 (f32.max 0 (f32.min 255 (f32.i64 i - 100)))) (iota n)
  let b = map (\i -> i16.f32 (f32.u8 (u8.i64 i) * 0.5 - 60)) (iota n)
  in and (map2 (\i x -> x == u8.i64 (i64.max 0 (i64.min 255 (i - 100)))) (iota n) a)
     && and (map2 (\i x -> x == i16.i64 ((i & 255) - 120) / 2 || (i & 255 < 120 && x == i16.i64 ((i & 255) - 119) / 2)) (iota n) b)
