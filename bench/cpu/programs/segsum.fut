-- SPDX-License-Identifier: Apache-2.0
-- The sums of the rows of a matrix: segments of one length.
def main [n] [m] (xs: [n][m]f32) : [n]f32 = map f32.sum xs
