-- SPDX-License-Identifier: Apache-2.0
-- a·x + y.
def main [n] (a: f32) (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (\x y -> a * x + y) xs ys
