-- SPDX-License-Identifier: Apache-2.0
-- Running sums, and what they are good for.
--
--   echo '[1i64, 2i64, 3i64, 4i64]' | ./skald-dev run examples/prefix_sums.fut
-- ==
-- input { [1i64, 2i64, 3i64, 4i64] } output { [1i64, 3i64, 6i64, 10i64] [0i64, 1i64, 3i64, 6i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) }
def main [n] (xs: [n]i64) : ([n]i64, [n]i64) =
  let inclusive = scan (+) 0 xs
  let exclusive = map2 (-) inclusive xs
  in (inclusive, exclusive)

-- The largest sum of neighbouring elements, by scanning once from the left.
-- ==
-- entry: best_segment
-- input { [-2i64, 1i64, -3i64, 4i64, -1i64, 2i64, 1i64, -5i64, 4i64] } output { 6i64 }
-- input { [-3i64, -1i64] } output { 0i64 }
-- input { empty([0]i64) } output { 0i64 }
entry best_segment [n] (xs: [n]i64) : i64 =
  let sums = scan (+) 0 xs
  let lowest_before = map2 (\low _ -> i64.min 0 low) (scan i64.min 0 sums) sums
  in i64.max 0 (i64.maximum (map2 (-) sums lowest_before))

-- Keeping the elements of one sign by computing where each of them goes.
-- ==
-- entry: compact
-- input { [3i64, -1i64, 4i64, -1i64, 5i64] } output { [3i64, 4i64, 5i64] }
-- input { [-1i64] } output { empty([0]i64) }
-- compiled random input { [100000]i64 } auto output
entry compact [n] (xs: [n]i64) : []i64 =
  let keep = map (\x -> i64.bool (x > 0)) xs
  let position = scan (+) 0 keep
  let target = map2 (\k p -> if k == 1 then p - 1 else -1) keep position
  in take (i64.sum keep) (scatter (replicate n 0) target xs)
