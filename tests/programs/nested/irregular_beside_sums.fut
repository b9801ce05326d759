-- SPDX-License-Identifier: Apache-2.0
-- Sums and rows of different lengths from one inner loop.
-- ==
-- entry: main
-- input { 0i64 [1i64, 2i64] } output { [0i64, 0i64] [0i64, 0i64] }
-- input { 3i64 [1i64, 0i64, 2i64] } output { [3i64, 3i64, 3i64] [3i64, 0i64, 9i64] }
-- input { 2i64 empty([0]i64) } output { empty([0]i64) empty([0]i64) }

def main [k] (n: i64) (ks: [k]i64) : ([k]i64, [k]i64) =
  unzip (map (\m ->
                let kept = filter (< m) (iota 10)
                let len = length kept
                let (numbers, rows) = unzip (tabulate n (\j -> (j, map (+ j) (kept :> [len]i64))))
                let sum = i64.sum numbers
                let all = flatten rows
                in (sum, if length all > 10000 then 0 else i64.sum all))
             ks)
