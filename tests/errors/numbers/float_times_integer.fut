-- SPDX-License-Identifier: Apache-2.0
def scale (x: f32) (n: i64) : f32 = x * n
