-- SPDX-License-Identifier: Apache-2.0
-- A function that calls itself and computes the size of its result.
-- RUN dump --stage=soacs
def pairs [n] (xs: [n]f64) : []f64 = if n < 2 then xs else pairs (map (* 2) (filter (> 0) xs[:n - 1]))
def main [n] (xs: [n]f64) = vjp (\ys -> f64.sum (pairs ys)) xs 1
