-- SPDX-License-Identifier: Apache-2.0
-- Loops that add totals to single elements in each round: on devices the elements get them after the loop.
-- Sizes and rounds may be zero; other loops look at the elements, or change them in other ways.

import "compare"

-- ==
-- entry: by_coefficients
-- input { 5i64 4i64 3i64 } output { true }
-- input { 1i64 1i64 2i64 } output { true }
-- input { 40i64 33i64 0i64 } output { true }
entry by_coefficients (n: i64) (m: i64) (rounds: i64) =
  check (\(c: [3]f64) ->
           let start = tabulate_2d n m (\i j -> f64.i64 ((i * 7 + j * 3) % 5) / 8)
           let step = \u -> tabulate_2d n m (\i j ->
             let at i j = u[i64.min (n - 1) (i64.max 0 i), i64.min (m - 1) (i64.max 0 j)]
             let around = at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1) - 4 * u[i, j]
             in u[i, j] + 0.05 * (c[0] + c[1] * u[i, j]) * around + 0.01 * c[2])
           in flatten (loop u = start for _i < rounds do step u))

-- By hand: the same element twice, an element that the round reads, a place that depends on the round.
-- ==
-- entry: by_hand
-- input { [1f64, 2f64, 3f64] 3i64 } output { [10f64, 0f64] [4f64, 18f64] [12f64, 1f64] [6f64, 6f64, 6f64] }
-- input { [1f64, 2f64, 3f64] 0i64 } output { [10f64, 0f64] [4f64, 0f64] [0f64, 1f64] [0f64, 0f64, 0f64] }
-- input { empty([0]f64) 2i64 } output { [10f64, 0f64] [4f64, 0f64] [0f64, 1f64] [0f64, 0f64, 0f64] }
entry by_hand [n] (xs: [n]f64) (rounds: i64) : ([2]f64, [2]f64, [2]f64, [3]f64) =
  let sum = \k -> f64.sum (map (* k) xs)
  let reads = loop s = [10, 0] for _i < rounds do s with [1] = s[1] + sum (s[0] - 10)
  let adds = loop s = [4, 0] for _i < rounds do s with [1] = s[1] + sum 1
  let twice = loop s = [0, 1] for i < rounds do
                let s = s with [0] = s[0] + sum (f64.i64 i)
                in s with [0] = s[0] - (if i == 2 then sum 1 else 0)
  let moves = loop s = [0, 0, 0] for i < rounds do s with [i] = s[i] + sum 1
  in (reads, adds, twice, moves)
