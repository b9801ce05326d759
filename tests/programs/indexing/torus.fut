-- SPDX-License-Identifier: Apache-2.0
-- Neighbours on a torus: remainders of sums and differences that are at most one round away.
-- ==
-- entry: neighbours
-- input { [1, 2, 3, 4] } output { [[2, 3, 4, 1], [4, 1, 2, 3], [4, 1, 2, 3], [3, 4, 1, 2]] }
-- input { [7] } output { [[7], [7], [7], [7]] }
-- input { empty([0]i32) } output { empty([4][0]i32) }
-- ==
-- entry: shifted
-- input { [1, 2, 3, 4] 4i64 } output { [1, 2, 3, 4] }
-- input { [1, 2, 3, 4] 3i64 } output { [4, 1, 2, 3] }
-- input { [1, 2, 3, 4] 9i64 } output { [2, 3, 4, 1] }
-- input { [1, 2, 3, 4] -5i64 } output { [4, 1, 2, 3] }
-- ==
-- entry: truncated
-- input { 3i64 } output { [-1i64, 0i64, 1i64] [2i64, 0i64, 1i64] }

entry neighbours [n] (xs: [n]i32) : [4][n]i32 =
  [ tabulate n (\i -> xs[(i + 1) % n])
  , tabulate n (\i -> xs[(i + n - 1) % n])
  , tabulate n (\i -> xs[(i - 1) % n])
  , tabulate n (\i -> xs[(i + n / 2) % n]) ]

-- The distance may be anything, so that the division must stay.
entry shifted [n] (xs: [n]i32) (by: i64) : [n]i32 = tabulate n (\i -> xs[(i + by) % n])

-- The remainder of a negative number is negative.
entry truncated (n: i64) : ([n]i64, [n]i64) = (tabulate n (\i -> (i - 1) i64.%% n), tabulate n (\i -> (i - 1) % n))
