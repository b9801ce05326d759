-- SPDX-License-Identifier: Apache-2.0
-- A matrix times a vector.
def main [n] [m] (a: [n][m]f32) (x: [m]f32) : [n]f32 = map (\row -> f32.sum (map2 (*) row x)) a
