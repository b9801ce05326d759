-- SPDX-License-Identifier: Apache-2.0
-- k-means by Newton's method: the cost is quadratic in each centre as long as no point changes its centre, so that one step with
-- the second derivative goes where the usual step goes.  The gradient is a `vjp`; a `jvp` of it gives the diagonal of the second
-- derivative, which has nothing beside the diagonal.
--
--   echo '[[0f64, 0f64], [1f64, 0f64], [9f64, 9f64]] [[0f64, 1f64], [8f64, 8f64]] 3i64' | ./skald-dev run examples/kmeans_newton.fut
--
-- Arguments: points, centres to start with, and the number of steps.  Result: centres.
-- ==
-- input { [[0f64, 0f64], [1f64, 0f64], [9f64, 9f64], [9f64, 7f64]] [[0f64, 1f64], [8f64, 8f64]] 2i64 } output { [[0.5f64, 0f64], [9f64, 8f64]] }

def cost [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) : f64 =
  f64.sum (map (\p -> f64.minimum (map (\c -> f64.sum (map2 (\x y -> (x - y) ** 2) p c)) centres)) points)

def main [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) (steps: i64) : [k][d]f64 =
  loop centres for _i < steps do
    let (gradient, diagonal) = jvp2 (\c -> vjp (cost points) c 1) centres (replicate k (replicate d 1))
    in map3 (map3 (\c g h -> if h == 0 then c else c - g / h)) centres gradient diagonal
