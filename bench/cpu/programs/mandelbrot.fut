-- SPDX-License-Identifier: Apache-2.0
-- Escape times.
def main (width: i64) (height: i64) (limit: i32) : [height][width]i32 =
  let point (y: i64) (x: i64) : i32 =
    let cr = f32.i64 x * 3 / f32.i64 width - 2
    let ci = f32.i64 y * 2 / f32.i64 height - 1
    let (_, _, i) =
      loop (zr, zi, i) = (0, 0, 0) while i < limit && zr * zr + zi * zi <= 4 do
        (zr * zr - zi * zi + cr, 2 * zr * zi + ci, i + 1)
    in i
  in map (\y -> map (point y) (iota width)) (iota height)
