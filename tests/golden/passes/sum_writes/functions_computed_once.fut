-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --renumber --stage=soacs
-- WHY the sums over i would compute the exponential again, so they are taken only where few iterations write to a place
entry main [n] [m] (xs: [n]f64) (ys: [m]f64) =
  vjp (\(xs, ys) -> map (\x -> f64.sum (map (\y -> f64.exp (x * y)) ys)) xs) (xs, ys) (replicate n 1)
