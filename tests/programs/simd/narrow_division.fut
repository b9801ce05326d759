-- SPDX-License-Identifier: Apache-2.0
-- Divisions of all numbers of 8 and 16 bits by constants.
-- ==
-- entry: u8_by
-- input { } output { true }
-- ==
-- entry: i8_by
-- input { } output { true }
-- ==
-- entry: u16_by
-- input { } output { true }
-- ==
-- entry: i16_by
-- input { } output { true }

-- The four operators against those of 64 bits by a number that the compiler does not know.

type four 't = (t, t, t, t)

def wide (x: i64) (d: i64) : four i64 = (x // d, x %% d, x / d, x % d)

def same_u8 (d: i64) (by_constant: u8 -> four u8) : bool =
  let xs = opaque (map u8.i64 (iota 256))
  let ys = opaque (map by_constant xs)
  let d = opaque d
  let widened ((a, b, c, e): four u8) : four i64 = (i64.u8 a, i64.u8 b, i64.u8 c, i64.u8 e)
  in and (map2 (\x y -> widened y == wide (i64.u8 x) d) xs ys)

entry u8_by : bool =
  same_u8 2 (\x -> (x // 2, x %% 2, x / 2, x % 2))
  && same_u8 3 (\x -> (x // 3, x %% 3, x / 3, x % 3))
  && same_u8 5 (\x -> (x // 5, x %% 5, x / 5, x % 5))
  && same_u8 7 (\x -> (x // 7, x %% 7, x / 7, x % 7))
  && same_u8 10 (\x -> (x // 10, x %% 10, x / 10, x % 10))
  && same_u8 26 (\x -> (x // 26, x %% 26, x / 26, x % 26))
  && same_u8 100 (\x -> (x // 100, x %% 100, x / 100, x % 100))
  && same_u8 127 (\x -> (x // 127, x %% 127, x / 127, x % 127))
  && same_u8 128 (\x -> (x // 128, x %% 128, x / 128, x % 128))
  && same_u8 129 (\x -> (x // 129, x %% 129, x / 129, x % 129))
  && same_u8 200 (\x -> (x // 200, x %% 200, x / 200, x % 200))
  && same_u8 254 (\x -> (x // 254, x %% 254, x / 254, x % 254))
  && same_u8 255 (\x -> (x // 255, x %% 255, x / 255, x % 255))

def same_i8 (d: i64) (by_constant: i8 -> four i8) : bool =
  let xs = opaque (map i8.i64 (iota 256))
  let ys = opaque (map by_constant xs)
  let d = opaque d
  let widened ((a, b, c, e): four i8) : four i64 = (i64.i8 a, i64.i8 b, i64.i8 c, i64.i8 e)
  in and (map2 (\x y -> widened y == wide (i64.i8 x) d) xs ys)

entry i8_by : bool =
  same_i8 2 (\x -> (x // 2, x %% 2, x / 2, x % 2))
  && same_i8 3 (\x -> (x // 3, x %% 3, x / 3, x % 3))
  && same_i8 5 (\x -> (x // 5, x %% 5, x / 5, x % 5))
  && same_i8 7 (\x -> (x // 7, x %% 7, x / 7, x % 7))
  && same_i8 10 (\x -> (x // 10, x %% 10, x / 10, x % 10))
  && same_i8 26 (\x -> (x // 26, x %% 26, x / 26, x % 26))
  && same_i8 100 (\x -> (x // 100, x %% 100, x / 100, x % 100))
  && same_i8 127 (\x -> (x // 127, x %% 127, x / 127, x % 127))
  && same_i8 (-2) (\x -> (x // (-2), x %% (-2), x / (-2), x % (-2)))
  && same_i8 (-7) (\x -> (x // (-7), x %% (-7), x / (-7), x % (-7)))
  && same_i8 (-128) (\x -> (x // (-128), x %% (-128), x / (-128), x % (-128)))

def same_u16 (d: i64) (by_constant: u16 -> four u16) : bool =
  let xs = opaque (map u16.i64 (iota 65536))
  let ys = opaque (map by_constant xs)
  let d = opaque d
  let widened ((a, b, c, e): four u16) : four i64 = (i64.u16 a, i64.u16 b, i64.u16 c, i64.u16 e)
  in and (map2 (\x y -> widened y == wide (i64.u16 x) d) xs ys)

entry u16_by : bool =
  same_u16 2 (\x -> (x // 2, x %% 2, x / 2, x % 2))
  && same_u16 3 (\x -> (x // 3, x %% 3, x / 3, x % 3))
  && same_u16 7 (\x -> (x // 7, x %% 7, x / 7, x % 7))
  && same_u16 10 (\x -> (x // 10, x %% 10, x / 10, x % 10))
  && same_u16 641 (\x -> (x // 641, x %% 641, x / 641, x % 641))
  && same_u16 1000 (\x -> (x // 1000, x %% 1000, x / 1000, x % 1000))
  && same_u16 4096 (\x -> (x // 4096, x %% 4096, x / 4096, x % 4096))
  && same_u16 32767 (\x -> (x // 32767, x %% 32767, x / 32767, x % 32767))
  && same_u16 32768 (\x -> (x // 32768, x %% 32768, x / 32768, x % 32768))
  && same_u16 32769 (\x -> (x // 32769, x %% 32769, x / 32769, x % 32769))
  && same_u16 40000 (\x -> (x // 40000, x %% 40000, x / 40000, x % 40000))
  && same_u16 65534 (\x -> (x // 65534, x %% 65534, x / 65534, x % 65534))
  && same_u16 65535 (\x -> (x // 65535, x %% 65535, x / 65535, x % 65535))

def same_i16 (d: i64) (by_constant: i16 -> four i16) : bool =
  let xs = opaque (map i16.i64 (iota 65536))
  let ys = opaque (map by_constant xs)
  let d = opaque d
  let widened ((a, b, c, e): four i16) : four i64 = (i64.i16 a, i64.i16 b, i64.i16 c, i64.i16 e)
  in and (map2 (\x y -> widened y == wide (i64.i16 x) d) xs ys)

entry i16_by : bool =
  same_i16 2 (\x -> (x // 2, x %% 2, x / 2, x % 2))
  && same_i16 3 (\x -> (x // 3, x %% 3, x / 3, x % 3))
  && same_i16 7 (\x -> (x // 7, x %% 7, x / 7, x % 7))
  && same_i16 10 (\x -> (x // 10, x %% 10, x / 10, x % 10))
  && same_i16 641 (\x -> (x // 641, x %% 641, x / 641, x % 641))
  && same_i16 1000 (\x -> (x // 1000, x %% 1000, x / 1000, x % 1000))
  && same_i16 4096 (\x -> (x // 4096, x %% 4096, x / 4096, x % 4096))
  && same_i16 32766 (\x -> (x // 32766, x %% 32766, x / 32766, x % 32766))
  && same_i16 32767 (\x -> (x // 32767, x %% 32767, x / 32767, x % 32767))
  && same_i16 (-3) (\x -> (x // (-3), x %% (-3), x / (-3), x % (-3)))
  && same_i16 (-1000) (\x -> (x // (-1000), x %% (-1000), x / (-1000), x % (-1000)))
  && same_i16 (-32768) (\x -> (x // (-32768), x %% (-32768), x / (-32768), x % (-32768)))
