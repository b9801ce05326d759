-- SPDX-License-Identifier: Apache-2.0
-- The lengths of the rows of a matrix, seen as vectors.
--
--   echo '[[3f32, 4f32], [5f32, 12f32]]' | ./skald-dev run examples/row_norms.fut
-- ==
-- input { [[3f32, 4f32], [5f32, 12f32]] } output { [5f32, 13f32] }
-- input { empty([0][3]f32) } output { empty([0]f32) }
-- input { empty([2][0]f32) } output { [0f32, 0f32] }
def main [n][m] (rows: [n][m]f32) : [n]f32 =
  map (\row -> f32.sqrt (reduce (+) 0 (map (\x -> x * x) row))) rows
