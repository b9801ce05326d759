-- SPDX-License-Identifier: Apache-2.0
-- The sums of segments of very different lengths; offsets has one element more than there are segments.
def main [n] [m] (offsets: [m]i64) (xs: [n]f32) : []f32 =
  map (\i -> f32.sum xs[offsets[i]:offsets[i + 1]]) (iota (m - 1))
