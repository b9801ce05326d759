-- SPDX-License-Identifier: Apache-2.0
-- The product of two matrices.

def product [m] [n] [q] (a: [m][q]f32) (b: [q][n]f32) : [m][n]f32 =
  map (\x -> map (\y -> f32.sum (map2 (*) x y)) (transpose b)) a

entry primal [m] [n] [q] (a: [m][q]f32) (b: [q][n]f32) = product a b

entry forward [m] [n] [q] (a: [m][q]f32) (b: [q][n]f32) =
  jvp (\(x, y) -> product x y) (a, b) (a, b)

entry reverse [m] [n] [q] (a: [m][q]f32) (b: [q][n]f32) =
  vjp (\(x, y) -> product x y) (a, b) (replicate m (replicate n 1))
