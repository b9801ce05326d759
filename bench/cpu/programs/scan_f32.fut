-- SPDX-License-Identifier: Apache-2.0
-- Prefix sums of floats.
def main [n] (xs: [n]f32) : [n]f32 = scan (+) 0 xs
