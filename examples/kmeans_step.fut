-- SPDX-License-Identifier: Apache-2.0
-- One step of k-means clustering: give each point to the nearest centre, then move each centre to
-- the mean of its points.  A centre without points stays where it is.
--
--   echo '[[0f32, 0f32], [2f32, 0f32], [9f32, 9f32]] [[1f32, 1f32], [8f32, 8f32]]' | ./skald-dev run examples/kmeans_step.fut
-- ==
-- input { [[0f32, 0f32], [2f32, 0f32], [9f32, 9f32], [11f32, 9f32]] [[1f32, 1f32], [8f32, 8f32]] }
-- output { [[1f32, 0f32], [10f32, 9f32]] [0i64, 0i64, 1i64, 1i64] }
-- "an empty cluster" input { [[0f32], [2f32]] [[1f32], [50f32]] } output { [[1f32], [50f32]] [0i64, 0i64] }
-- "no points" input { empty([0][1]f32) [[5f32]] } output { [[5f32]] empty([0]i64) }
def distance_squared [d] (a: [d]f32) (b: [d]f32) : f32 =
  f32.sum (map2 (\x y -> (x - y) * (x - y)) a b)

def nearest [k] [d] (centres: [k][d]f32) (point: [d]f32) : i64 =
  let closer (i: i64, a: f32) (j: i64, b: f32) : (i64, f32) =
    if a < b || a == b && i < j then (i, a) else (j, b)
  let candidates = zip (iota k) (map (distance_squared point) centres)
  in (reduce closer (i64.highest, f32.inf) candidates).0

def main [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) : ([k][d]f32, [n]i64) =
  let cluster = map (nearest centres) points
  let counts = reduce_by_index (replicate k 0) (+) 0 cluster (replicate n 1f32)
  let sums = reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) cluster points
  let mean (old: [d]f32) (sum: [d]f32) (count: f32) : [d]f32 =
    if count == 0 then old else map (/ count) sum
  in (map3 mean centres sums counts, cluster)
