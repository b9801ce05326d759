-- SPDX-License-Identifier: Apache-2.0
-- A local function without written sizes takes functions whose results have sizes of their own.
-- ==
-- input { 0i32 2i64 3i64 } output { [[1u32, 2], [2, 3], [3, 4]] }
-- input { 1i32 2i64 1i64 } output { [[4u32, 5]] }
def plain (t: f32) (w: i64) (h: i64) : [h][w]u32 = tabulate_2d h w (\i j -> u32.i64 (i + j) + u32.f32 t)
def shifted (k: i64) (t: f32) (w: i64) (h: i64) : [h][w]u32 =
  tabulate_2d h w (\i j -> u32.i64 (i + j + k) + u32.f32 t)

def picture (mode: i32) (w: i64) (h: i64) : [][]u32 =
  let render f = f 1f32 w h
  in match mode
     case 0 -> render plain
     case _ -> render (shifted 3)

entry main (mode: i32) (w: i64) (h: i64) = picture mode w h
