-- SPDX-License-Identifier: Apache-2.0
-- The size of the parameter changes in each round, but the other array keeps its own.
def half [n] (xs: [n]f64) (ys: [n / 2]f64) : [n / 2]f64 = map2 (*) (take (n / 2) xs) ys
def main (xs: []f64) (ys: []f64) : []f64 = loop xs for _i < 3 do half xs ys
