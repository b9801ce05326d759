-- SPDX-License-Identifier: Apache-2.0
-- The sum of a vector.
def main (xs: []f32) : f32 = f32.sum xs
