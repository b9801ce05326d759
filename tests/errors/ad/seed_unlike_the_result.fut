-- SPDX-License-Identifier: Apache-2.0
-- The seed of reverse mode has another type or size than the result.
def types (x: f64) = vjp (\y -> y * y) x 1f32

def sizes [n] (x: [n]f64) (d: [3]f64) = vjp (\y -> map (* 2) y) x d
