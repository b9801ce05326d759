-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=caches
-- Small matrix products take four rows at a time and fill no panels; columns that lie the other way are transposed.
def main (a: [20][12][12]i32) (b: [20][12][12]i32) : [20][12][12]i32 =
  map2 (\x y -> map (\r -> map (\c -> i32.sum (map2 (*) r c)) y) x) a b
