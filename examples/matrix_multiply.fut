-- SPDX-License-Identifier: Apache-2.0
-- The product of two matrices: each element is the dot product of a row and a column.
--
--   echo '[[1f32, 2f32], [3f32, 4f32]] [[0f32, 1f32], [1f32, 0f32]]' | ./skald-dev run examples/matrix_multiply.fut
-- ==
-- input { [[1f32, 2f32], [3f32, 4f32]] [[0f32, 1f32], [1f32, 0f32]] } output { [[2f32, 1f32], [4f32, 3f32]] }
-- input { [[1f32, 2f32, 3f32]] [[1f32], [10f32], [100f32]] } output { [[321f32]] }
-- input { empty([0][2]f32) [[1f32], [2f32]] } output { empty([0][1]f32) }
-- input { [[1f32, 2f32]] [[1f32, 2f32]] } error: invalid size
-- compiled random input { [100][80]f32 [80][60]f32 } auto output
def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)

def main [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  let columns = transpose b
  in map (\row -> map (\column -> dot row column) columns) a
