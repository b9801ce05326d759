-- SPDX-License-Identifier: Apache-2.0
-- A rule of one's own gives a cotangent of another size than the argument has.
def main [n] (x: [n]f64) = vjp (\y -> with_vjp (\(a: [n]f64) -> f64.sum a) (\(_r: f64) (c: f64) -> replicate 3 c) y) x 1f64
