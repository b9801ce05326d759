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

-- Each operator against that of 64 bits by a number that the compiler does not know.

def same_u8 (op: u8 -> u8) (wide: i64 -> i64 -> i64) (d: i64) : bool =
  let xs = opaque (map u8.i64 (iota 256))
  in and (map2 (\x y -> i64.u8 y == wide (i64.u8 x) d) xs (opaque (map op xs)))

entry u8_by : bool =
  (let d = opaque 2i64 in same_u8 (// 2) (//) d && same_u8 (%% 2) (%%) d && same_u8 (/ 2) (/) d && same_u8 (% 2) (%) d)
  && (let d = opaque 3i64 in same_u8 (// 3) (//) d && same_u8 (%% 3) (%%) d && same_u8 (/ 3) (/) d && same_u8 (% 3) (%) d)
  && (let d = opaque 5i64 in same_u8 (// 5) (//) d && same_u8 (%% 5) (%%) d && same_u8 (/ 5) (/) d && same_u8 (% 5) (%) d)
  && (let d = opaque 7i64 in same_u8 (// 7) (//) d && same_u8 (%% 7) (%%) d && same_u8 (/ 7) (/) d && same_u8 (% 7) (%) d)
  && (let d = opaque 10i64 in same_u8 (// 10) (//) d && same_u8 (%% 10) (%%) d && same_u8 (/ 10) (/) d && same_u8 (% 10) (%) d)
  && (let d = opaque 26i64 in same_u8 (// 26) (//) d && same_u8 (%% 26) (%%) d && same_u8 (/ 26) (/) d && same_u8 (% 26) (%) d)
  && (let d = opaque 100i64 in same_u8 (// 100) (//) d && same_u8 (%% 100) (%%) d && same_u8 (/ 100) (/) d && same_u8 (% 100) (%) d)
  && (let d = opaque 127i64 in same_u8 (// 127) (//) d && same_u8 (%% 127) (%%) d && same_u8 (/ 127) (/) d && same_u8 (% 127) (%) d)
  && (let d = opaque 128i64 in same_u8 (// 128) (//) d && same_u8 (%% 128) (%%) d && same_u8 (/ 128) (/) d && same_u8 (% 128) (%) d)
  && (let d = opaque 129i64 in same_u8 (// 129) (//) d && same_u8 (%% 129) (%%) d && same_u8 (/ 129) (/) d && same_u8 (% 129) (%) d)
  && (let d = opaque 200i64 in same_u8 (// 200) (//) d && same_u8 (%% 200) (%%) d && same_u8 (/ 200) (/) d && same_u8 (% 200) (%) d)
  && (let d = opaque 254i64 in same_u8 (// 254) (//) d && same_u8 (%% 254) (%%) d && same_u8 (/ 254) (/) d && same_u8 (% 254) (%) d)
  && (let d = opaque 255i64 in same_u8 (// 255) (//) d && same_u8 (%% 255) (%%) d && same_u8 (/ 255) (/) d && same_u8 (% 255) (%) d)

def same_i8 (op: i8 -> i8) (wide: i64 -> i64 -> i64) (d: i64) : bool =
  let xs = opaque (map i8.i64 (iota 256))
  in and (map2 (\x y -> i64.i8 y == wide (i64.i8 x) d) xs (opaque (map op xs)))

entry i8_by : bool =
  (let d = opaque 2i64 in same_i8 (// 2) (//) d && same_i8 (%% 2) (%%) d && same_i8 (/ 2) (/) d && same_i8 (% 2) (%) d)
  && (let d = opaque 3i64 in same_i8 (// 3) (//) d && same_i8 (%% 3) (%%) d && same_i8 (/ 3) (/) d && same_i8 (% 3) (%) d)
  && (let d = opaque 5i64 in same_i8 (// 5) (//) d && same_i8 (%% 5) (%%) d && same_i8 (/ 5) (/) d && same_i8 (% 5) (%) d)
  && (let d = opaque 7i64 in same_i8 (// 7) (//) d && same_i8 (%% 7) (%%) d && same_i8 (/ 7) (/) d && same_i8 (% 7) (%) d)
  && (let d = opaque 10i64 in same_i8 (// 10) (//) d && same_i8 (%% 10) (%%) d && same_i8 (/ 10) (/) d && same_i8 (% 10) (%) d)
  && (let d = opaque 26i64 in same_i8 (// 26) (//) d && same_i8 (%% 26) (%%) d && same_i8 (/ 26) (/) d && same_i8 (% 26) (%) d)
  && (let d = opaque 100i64 in same_i8 (// 100) (//) d && same_i8 (%% 100) (%%) d && same_i8 (/ 100) (/) d && same_i8 (% 100) (%) d)
  && (let d = opaque 127i64 in same_i8 (// 127) (//) d && same_i8 (%% 127) (%%) d && same_i8 (/ 127) (/) d && same_i8 (% 127) (%) d)
  && (let d = opaque (-2i64) in same_i8 (// (-2)) (//) d && same_i8 (%% (-2)) (%%) d && same_i8 (/ (-2)) (/) d && same_i8 (% (-2)) (%) d)
  && (let d = opaque (-7i64) in same_i8 (// (-7)) (//) d && same_i8 (%% (-7)) (%%) d && same_i8 (/ (-7)) (/) d && same_i8 (% (-7)) (%) d)
  && (let d = opaque (-128i64) in same_i8 (// (-128)) (//) d && same_i8 (%% (-128)) (%%) d && same_i8 (/ (-128)) (/) d && same_i8 (% (-128)) (%) d)

def same_u16 (op: u16 -> u16) (wide: i64 -> i64 -> i64) (d: i64) : bool =
  let xs = opaque (map u16.i64 (iota 65536))
  in and (map2 (\x y -> i64.u16 y == wide (i64.u16 x) d) xs (opaque (map op xs)))

entry u16_by : bool =
  (let d = opaque 2i64 in same_u16 (// 2) (//) d && same_u16 (%% 2) (%%) d && same_u16 (/ 2) (/) d && same_u16 (% 2) (%) d)
  && (let d = opaque 3i64 in same_u16 (// 3) (//) d && same_u16 (%% 3) (%%) d && same_u16 (/ 3) (/) d && same_u16 (% 3) (%) d)
  && (let d = opaque 7i64 in same_u16 (// 7) (//) d && same_u16 (%% 7) (%%) d && same_u16 (/ 7) (/) d && same_u16 (% 7) (%) d)
  && (let d = opaque 10i64 in same_u16 (// 10) (//) d && same_u16 (%% 10) (%%) d && same_u16 (/ 10) (/) d && same_u16 (% 10) (%) d)
  && (let d = opaque 641i64 in same_u16 (// 641) (//) d && same_u16 (%% 641) (%%) d && same_u16 (/ 641) (/) d && same_u16 (% 641) (%) d)
  && (let d = opaque 1000i64 in same_u16 (// 1000) (//) d && same_u16 (%% 1000) (%%) d && same_u16 (/ 1000) (/) d && same_u16 (% 1000) (%) d)
  && (let d = opaque 4096i64 in same_u16 (// 4096) (//) d && same_u16 (%% 4096) (%%) d && same_u16 (/ 4096) (/) d && same_u16 (% 4096) (%) d)
  && (let d = opaque 32767i64 in same_u16 (// 32767) (//) d && same_u16 (%% 32767) (%%) d && same_u16 (/ 32767) (/) d && same_u16 (% 32767) (%) d)
  && (let d = opaque 32768i64 in same_u16 (// 32768) (//) d && same_u16 (%% 32768) (%%) d && same_u16 (/ 32768) (/) d && same_u16 (% 32768) (%) d)
  && (let d = opaque 32769i64 in same_u16 (// 32769) (//) d && same_u16 (%% 32769) (%%) d && same_u16 (/ 32769) (/) d && same_u16 (% 32769) (%) d)
  && (let d = opaque 40000i64 in same_u16 (// 40000) (//) d && same_u16 (%% 40000) (%%) d && same_u16 (/ 40000) (/) d && same_u16 (% 40000) (%) d)
  && (let d = opaque 65534i64 in same_u16 (// 65534) (//) d && same_u16 (%% 65534) (%%) d && same_u16 (/ 65534) (/) d && same_u16 (% 65534) (%) d)
  && (let d = opaque 65535i64 in same_u16 (// 65535) (//) d && same_u16 (%% 65535) (%%) d && same_u16 (/ 65535) (/) d && same_u16 (% 65535) (%) d)

def same_i16 (op: i16 -> i16) (wide: i64 -> i64 -> i64) (d: i64) : bool =
  let xs = opaque (map i16.i64 (iota 65536))
  in and (map2 (\x y -> i64.i16 y == wide (i64.i16 x) d) xs (opaque (map op xs)))

entry i16_by : bool =
  (let d = opaque 2i64 in same_i16 (// 2) (//) d && same_i16 (%% 2) (%%) d && same_i16 (/ 2) (/) d && same_i16 (% 2) (%) d)
  && (let d = opaque 3i64 in same_i16 (// 3) (//) d && same_i16 (%% 3) (%%) d && same_i16 (/ 3) (/) d && same_i16 (% 3) (%) d)
  && (let d = opaque 7i64 in same_i16 (// 7) (//) d && same_i16 (%% 7) (%%) d && same_i16 (/ 7) (/) d && same_i16 (% 7) (%) d)
  && (let d = opaque 10i64 in same_i16 (// 10) (//) d && same_i16 (%% 10) (%%) d && same_i16 (/ 10) (/) d && same_i16 (% 10) (%) d)
  && (let d = opaque 641i64 in same_i16 (// 641) (//) d && same_i16 (%% 641) (%%) d && same_i16 (/ 641) (/) d && same_i16 (% 641) (%) d)
  && (let d = opaque 1000i64 in same_i16 (// 1000) (//) d && same_i16 (%% 1000) (%%) d && same_i16 (/ 1000) (/) d && same_i16 (% 1000) (%) d)
  && (let d = opaque 4096i64 in same_i16 (// 4096) (//) d && same_i16 (%% 4096) (%%) d && same_i16 (/ 4096) (/) d && same_i16 (% 4096) (%) d)
  && (let d = opaque 32766i64 in same_i16 (// 32766) (//) d && same_i16 (%% 32766) (%%) d && same_i16 (/ 32766) (/) d && same_i16 (% 32766) (%) d)
  && (let d = opaque 32767i64 in same_i16 (// 32767) (//) d && same_i16 (%% 32767) (%%) d && same_i16 (/ 32767) (/) d && same_i16 (% 32767) (%) d)
  && (let d = opaque (-3i64) in same_i16 (// (-3)) (//) d && same_i16 (%% (-3)) (%%) d && same_i16 (/ (-3)) (/) d && same_i16 (% (-3)) (%) d)
  && (let d = opaque (-1000i64) in same_i16 (// (-1000)) (//) d && same_i16 (%% (-1000)) (%%) d && same_i16 (/ (-1000)) (/) d && same_i16 (% (-1000)) (%) d)
  && (let d = opaque (-32768i64) in same_i16 (// (-32768)) (//) d && same_i16 (%% (-32768)) (%%) d && same_i16 (/ (-32768)) (/) d && same_i16 (% (-32768)) (%) d)
