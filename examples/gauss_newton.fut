-- SPDX-License-Identifier: Apache-2.0
-- A curve a·exp(b·x) through points by the method of Gauss and Newton: residuals are taken as linear, and the least squares
-- of that are solved.  `jmp` gives the whole derivative at once, one column for each seed.
--
--   echo '[0f64, 1f64, 2f64] [2f64, 1f64, 0.5f64] 10i64' | ./skald-dev run examples/gauss_newton.fut
--
-- Arguments: x and y of the points, and the number of steps.  Results: a and b.
-- ==
-- input { [0f64, 1f64, 2f64, 3f64] [2f64, 1f64, 0.5f64, 0.25f64] 20i64 } output { 2f64 -0.6931471805599453f64 }
-- "no step" input { [0f64, 1f64] [1f64, 3f64] 0i64 } output { 1f64 0f64 }

def dot [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)

def residuals [n] (xs: [n]f64) (ys: [n]f64) (p: [2]f64) : [n]f64 =
  map2 (\x y -> p[0] * f64.exp (p[1] * x) - y) xs ys

def main [n] (xs: [n]f64) (ys: [n]f64) (steps: i64) : (f64, f64) =
  let p = loop p = [1, 0] for _i < steps do
            let r = residuals xs ys p
            let columns = jmp (residuals xs ys) p [[1, 0], [0, 1]]
            -- (Jᵀ J) d = -Jᵀ r, for two unknowns.
            let (a, b, c) = (dot columns[0] columns[0], dot columns[0] columns[1], dot columns[1] columns[1])
            let (u, v) = (-(dot columns[0] r), -(dot columns[1] r))
            let det = a * c - b * b
            in [p[0] + (u * c - v * b) / det, p[1] + (a * v - b * u) / det]
  in (p[0], p[1])
