-- SPDX-License-Identifier: Apache-2.0
-- A line through points, by walking down the gradient of the squared error.
--
--   echo '[0f64, 1f64, 2f64] [1f64, 3f64, 5f64] 500i64' | ./skald-dev run examples/gradient_descent.fut
--
-- Arguments: x and y of the points, and the number of steps.  Results: slope and height at 0.
-- ==
-- input { [0f64, 1f64, 2f64] [1f64, 3f64, 5f64] 500i64 } output { 2f64 1f64 }
-- "no step" input { [0f64, 1f64] [1f64, 3f64] 0i64 } output { 0f64 0f64 }

def error [n] (xs: [n]f64) (ys: [n]f64) (slope: f64, height: f64) : f64 =
  f64.sum (map2 (\x y -> (slope * x + height - y) ** 2) xs ys) / f64.i64 n

def main [n] (xs: [n]f64) (ys: [n]f64) (steps: i64) : (f64, f64) =
  loop (slope, height) = (0, 0) for _i < steps do
    let (by_slope, by_height) = vjp (error xs ys) (slope, height) 1
    in (slope - 0.2 * by_slope, height - 0.2 * by_height)
