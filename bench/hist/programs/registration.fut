-- SPDX-License-Identifier: Apache-2.0
-- The joint histogram of two images for their registration: a pair of grey values goes to one row of bins, and by the weights of a cubic
-- B-spline to four of its columns.  The first and last column get what lies outside.
-- ==
-- entry: joint
-- input { 2i64 4i64 [0f32] [0.5f32] } output { [[0.020833334f32, 0.47916666f32, 0.47916666f32, 0.020833334f32], [0f32, 0f32, 0f32, 0f32]] }
-- input { 2i64 4i64 [1f32, 1f32] [0f32, 1f32] }
-- output { [[0f32, 0f32, 0f32, 0f32], [0.8333333f32, 0.16666667f32, 0.16666667f32, 0.8333333f32]] }
import "hash"

def weight (t: f32) : f32 =
  let a = f32.abs t
  in if a < 1 then (4 - 6 * a * a + 3 * a * a * a) / 6
     else if a < 2 then (2 - a) * (2 - a) * (2 - a) / 6
     else 0

-- Grey values are in [0, 1].
entry joint [n] (rows: i64) (columns: i64) (fixed: [n]f32) (moving: [n]f32) : [rows][columns]f32 =
  let update (f: f32) (m: f32) (k: i64) =
    let x = m * f32.i64 (columns - 1)
    let column = i64.f32 (f32.floor x) + k - 1
    let row = i64.min (rows - 1) (i64.f32 (f * f32.i64 rows))
    in ((row, i64.max 0 (i64.min (columns - 1) column)), weight (x - f32.i64 column))
  let (at, weights) = unzip (flatten (map2 (\f m -> tabulate 4 (update f m)) fixed moving))
  in reduce_by_index_2d (replicate rows (replicate columns 0)) (+) 0 at weights

-- ---- data: two images that have something to do with each other

entry make_image (n: i64) (noise: i64) : [n]f32 =
  tabulate n (\i -> 0.5 + 0.4 * f32.sin (f32.i64 i / 1000) + 0.1 * (share (u32.i64 (i + noise)) - 0.5))
