-- SPDX-License-Identifier: Apache-2.0
-- `:>` promises a size that is checked when the program runs.

-- ==
-- entry: promised
-- input { 3i64 [1i32, 2i32, 3i32] } output { [2i32, 4i32, 6i32] }
entry promised [m] (n: i64) (xs: [m]i32) : [n]i32 = map (* 2) (xs :> [n]i32)

-- ==
-- entry: same_length
-- input { [1i32, 2i32] [3i32, 4i32] } output { [4i32, 6i32] }
entry same_length [n] [m] (xs: [n]i32) (ys: [m]i32) : [n]i32 = map2 (+) xs (ys :> [n]i32)

-- ==
-- entry: sized_slice
-- input { [1i32, 2i32, 3i32, 4i32] } output { [4i32, 6i32] }
entry sized_slice [n] (xs: [n]i32) : []i32 =
  let half = n / 2
  in map2 (+) (sized half xs[:half]) (sized half xs[half:])
