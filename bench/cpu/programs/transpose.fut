-- SPDX-License-Identifier: Apache-2.0
-- A transposition that really moves the data.
def main [n] [m] (xs: [n][m]f32) : [m][n]f32 = map (map (+ 1)) (transpose xs)
