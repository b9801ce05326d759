-- SPDX-License-Identifier: Apache-2.0
def scale (n: i32) (x: f64) : f64 = n * x
