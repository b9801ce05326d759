-- SPDX-License-Identifier: Apache-2.0
-- The cost of k-means: the squared distance of each point to the nearest centre.  A step of Newton's method
-- needs its gradient and the diagonal of its second derivative.

def cost [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) : f64 =
  f64.sum (map (\p -> f64.minimum (map (\c -> f64.sum (map2 (\x y -> (x - y) * (x - y)) p c)) centres)) points)

entry primal [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) = cost points centres

entry forward [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) =
  jvp (cost points) centres centres

entry reverse [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) =
  vjp (cost points) centres 1

entry newton [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) =
  let (gradient, diagonal) = jvp2 (\c -> vjp (cost points) c 1) centres (replicate k (replicate d 1))
  in map3 (map3 (\c g h -> c - g / f64.max h 1e-9)) centres gradient diagonal
