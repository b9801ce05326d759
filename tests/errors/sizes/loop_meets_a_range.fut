-- SPDX-License-Identifier: Apache-2.0
-- The length of the range is new in every round.
def main [n] (xs: [n]i64) (k: i64) =
  loop (xs', s) = (xs, 0) for i < k do
    let steps = 0..(i + 1)..<(k * k)
    in (xs', s + i64.sum (map2 (*) steps xs'))
