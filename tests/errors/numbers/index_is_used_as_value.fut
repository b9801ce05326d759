-- SPDX-License-Identifier: Apache-2.0
def ramp (n: i64) : [n]f32 = map (\i -> i * 0.5f32) (iota n)
