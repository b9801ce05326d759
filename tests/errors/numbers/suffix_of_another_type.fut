-- SPDX-License-Identifier: Apache-2.0
def f (x: f32) : f32 = x + 1f64
