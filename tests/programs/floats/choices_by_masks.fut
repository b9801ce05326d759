-- SPDX-License-Identifier: Apache-2.0
-- Sums of numbers times conditions, as programs without `if` write choices: infinities and what is no number stay in
-- them, and zeros have the sign of the sum.
-- ==
-- entry: smaller larger
-- input { [1f64, 2f64, -0f64, 0f64, 0f64, -0f64, f64.inf, -f64.inf, f64.nan, 1f64] [2f64, 1f64, 0f64, -0f64, 0f64, -0f64, 1f64, 1f64, 1f64, f64.nan] } auto output
-- input { [3f64, -3f64] [-4f64, 5f64] } auto output

-- ==
-- entry: chosen
-- input { [1f64, 2f64, -0f64, f64.inf] [5f64, f64.inf, -0f64, 3f64] [true, true, false, true] } auto output

def mask (c: bool) : f64 = f64.bool c
entry smaller [n] (xs: [n]f64) (ys: [n]f64) = map2 (\a b -> a * mask (a <= b) + b * mask (b < a)) xs ys
entry larger [n] (xs: [n]f64) (ys: [n]f64) =
  map2 (\a b -> (a * mask (a >= b) + b * mask (b > a), a * mask (a <= b) + b * mask (b < a))) xs ys |> unzip
entry chosen [n] (xs: [n]f64) (ys: [n]f64) (cs: [n]bool) = map3 (\a b c -> a * mask c + b * mask (!c)) xs ys cs
