-- SPDX-License-Identifier: Apache-2.0
-- One round of k-means: the nearest centre of each point, then sums and counts by centre.  `sums` is the second half alone: bins are
-- rows of d numbers.
-- ==
-- entry: step
-- input { 2i64 [[0f32, 0f32], [10f32, 10f32], [1f32, 1f32], [11f32, 9f32]] } output { [[0.5f32, 0.5f32], [10.5f32, 9.5f32]] }
-- ==
-- entry: sums
-- input { 3i64 [0i32, 2i32, 0i32, 5i32, -1i32] [[1f32, 2f32], [3f32, 4f32], [5f32, 6f32], [7f32, 8f32], [9f32, 9f32]] }
-- output { [[6f32, 8f32], [0f32, 0f32], [3f32, 4f32]] [2i32, 0i32, 1i32] }
-- compiled random input { 5i64 [400]i32 [400][16]f32 } auto output
import "hash"

def nearest [k] [d] (centres: [k][d]f32) (p: [d]f32) : i32 =
  let distance c = f32.sum (map2 (\x y -> (x - y) * (x - y)) c p)
  let (_, best) =
    loop (least, best) = (f32.inf, 0i32) for i < k do
      let t = distance centres[i]
      in if t < least then (t, i32.i64 i) else (least, best)
  in best

entry sums [n] [d] (k: i64) (own: [n]i32) (points: [n][d]f32) : ([k][d]f32, [k]i32) =
  let own = map i64.i32 own
  in (hist (map2 (+)) (replicate d 0) k own points, hist (+) 0 k own (replicate n 1))

entry step [n] [d] (k: i64) (points: [n][d]f32) : [k][d]f32 =
  let (sum, count) = sums k (map (nearest (take k points)) points) points
  in map2 (\s c -> map (/ f32.i32 (i32.max 1 c)) s) sum count

-- ---- data

entry make_points (n: i64) (d: i64) : [n][d]f32 =
  tabulate_2d n d (\i j -> share (u32.i64 (i * d + j)))
entry make_own (n: i64) (k: i64) : [n]i32 = tabulate n (\i -> i32.u32 (hash (u32.i64 i) % u32.i64 k))
