-- SPDX-License-Identifier: Apache-2.0
-- Deprecated: `==` of arrays hides a reduction.
def main (xs: [3]i32) (ys: [3]i32) = xs == ys
