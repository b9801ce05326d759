-- SPDX-License-Identifier: Apache-2.0
-- Histograms for gradient boosting: for every feature and node of the tree, the sums of gradients and of second derivatives of the rows
-- whose feature has one of 256 values.
-- ==
-- entry: boosting
-- input { 2i64 [[0u8, 1u8, 0u8], [2u8, 2u8, 2u8]] [0i32, 1i32, 0i32] [1f32, 2f32, 4f32] [1f32, 1f32, 1f32] }
-- output { [5f32, 0f32, 0f32, 2f32] [2f32, 0f32, 0f32, 1f32] [0f32, 5f32] }
import "hash"

entry bins [f] [n] (nodes: i64) (features: [f][n]u8) (node: [n]i32) (gradient: [n]f32) (second: [n]f32)
    : ([f][nodes * 256]f32, [f][nodes * 256]f32) =
  let of_feature (values: [n]u8) =
    let at = map2 (\v k -> i64.i32 k * 256 + i64.u8 v) values node
    in (hist (+) 0 (nodes * 256) at gradient, hist (+) 0 (nodes * 256) at second)
  in unzip (map of_feature features)

-- For tests: the bins 0 and 1 of the first two nodes and feature, and bin 2 of the second feature.
entry boosting [f] [n] (nodes: i64) (features: [f][n]u8) (node: [n]i32) (gradient: [n]f32) (second: [n]f32) : ([]f32, []f32, []f32) =
  let (g, s) = bins nodes features node gradient second
  let corner (a: [f][nodes * 256]f32) = [a[0, 0], a[0, 1], a[0, 256], a[0, 257]]
  in (corner g, corner s, [g[1, 0], g[1, 2]])

-- ---- data

entry make_features (f: i64) (n: i64) : [f][n]u8 = tabulate_2d f n (\k i -> u8.u32 (hash (u32.i64 (k * n + i)) >> 13))
entry make_nodes (n: i64) (nodes: i64) : [n]i32 = tabulate n (\i -> i32.u32 (hash (u32.i64 i) % u32.i64 nodes))
entry make_numbers (n: i64) : [n]f32 = tabulate n (\i -> share (u32.i64 i) - 0.5)
