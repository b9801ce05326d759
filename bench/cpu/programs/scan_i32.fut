-- SPDX-License-Identifier: Apache-2.0
-- Prefix sums of integers.
def main [n] (xs: [n]i32) : [n]i32 = scan (+) 0 xs
