-- SPDX-License-Identifier: Apache-2.0
-- The result is a function of arrays whose size only `filter` knows.
def pair '^a '^b (x: a) (f: a -> b) : b = f x
def adder [n] (xs: [n]i32) : [n]i32 -> [n]i32 = map2 (+) xs
def main (xs: []i32) = adder (filter (> 0) xs)
