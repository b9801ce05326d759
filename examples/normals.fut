-- SPDX-License-Identifier: Apache-2.0
-- Normals of a shape that is given by the distance to it: the gradient of the distance, by one `vjp` for each point.
--
--   echo '[[1.5f64, 0f64, 0f64], [0f64, 0f64, 0.7f64]]' | ./skald-dev run examples/normals.fut
--
-- Argument: points.  Results: how far a torus (radii 1 and 0.25) is from each, and in which direction it is left.
-- ==
-- input { [[1.5f64, 0f64, 0f64], [0f64, 2f64, 0f64], [1f64, 0f64, 0.5f64]] }
-- output { [0.25f64, 0.75f64, 0.25f64] [[1f64, 0f64, 0f64], [0f64, 1f64, 0f64], [0f64, 0f64, 1f64]] }

def torus (p: [3]f64) : f64 =
  let ring = f64.sqrt (p[0] * p[0] + p[1] * p[1]) - 1
  in f64.sqrt (ring * ring + p[2] * p[2]) - 0.25

def main [n] (points: [n][3]f64) : ([n]f64, [n][3]f64) =
  unzip (map (\p -> vjp2 torus p 1) points)
