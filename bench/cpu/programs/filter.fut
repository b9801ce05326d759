-- SPDX-License-Identifier: Apache-2.0
-- The even numbers.
def main [n] (xs: [n]i32) : []i32 = filter (\x -> x % 2 == 0) xs
