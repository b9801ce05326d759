-- SPDX-License-Identifier: Apache-2.0
-- Functions whose results are not what is needed, where not all is known of that.
def pairs (xs: []f64) = flatmap (\x -> replicate 2 x) xs
def main (x: f64) = vjp (with_vjp_tape (\(x: f64) -> x * x) (\(c: f64) -> c)) x 1
