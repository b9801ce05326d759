-- SPDX-License-Identifier: Apache-2.0
-- A rule of one's own takes another type of cotangent than the function gives.
def main (x: f64) = vjp (\y -> with_vjp (\(a: f64) -> a * a) (\(_r: f64) (c: f32) -> f64.f32 c) y) x 1f64
