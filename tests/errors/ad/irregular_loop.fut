-- SPDX-License-Identifier: Apache-2.0
-- A loop whose array grows, in reverse mode.
def f (x: f64) = f64.sum (loop xs = [x] for _i < 3 do xs ++ map (* x) xs)
def main (x: f64) = vjp f x 1
