-- SPDX-License-Identifier: Apache-2.0
-- A matrix times a matrix.
def main [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) : [n][k]f32 =
  map (\row -> map (\col -> f32.sum (map2 (*) row col)) (transpose b)) a
