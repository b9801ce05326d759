-- SPDX-License-Identifier: Apache-2.0
-- The inner product of two vectors.
def main [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)
