-- SPDX-License-Identifier: Apache-2.0
-- Every second or third element, as many as there are whole pairs or triples; what goes one further fails.
-- ==
-- entry: pairs
-- input { [1i32, 2, 3, 4, 5] } output { [3i32, 7] }
-- input { [1i32] } output { empty([0]i32) }
-- ==
-- entry: squares
-- input { [[1u8,2,3],[3,6,5],[7,8,9]] } output { [[3u8]] }
-- ==
-- entry: triples
-- input { [1i32, 2, 3, 4, 5, 6, 7, 8] } output { [6i32, 15] }
-- ==
-- entry: further
-- input { [1i32, 2, 3, 4, 5] } output { [5i32, 9] }
-- input { [1i32, 2, 3, 4] } error: out of bounds
-- ==
-- entry: other
-- input { [1i32, 2, 3, 4, 5, 6] } error: out of bounds
-- input { [1i32] } output { empty([0]i32) }
-- ==
-- entry: before
-- input { [1i32, 2, 3, 4, 5] } error: out of bounds

entry pairs [n] (xs: [n]i32) = tabulate (n / 2) (\i -> xs[2 * i] + xs[2 * i + 1])
entry squares [h] [w] (xs: [h][w]u8) =
  tabulate_2d (h / 2) (w / 2) (\i j ->
                                 u8.u32 ((u32.u8 xs[2 * i, 2 * j] + u32.u8 xs[2 * i + 1, 2 * j] + u32.u8 xs[2 * i, 2 * j + 1]
                                          + u32.u8 xs[2 * i + 1, 2 * j + 1]) / 4))
entry triples [n] (xs: [n]i32) = tabulate (n / 3) (\i -> xs[3 * i] + xs[3 * i + 1] + xs[3 * i + 2])
-- One more than a pair.
entry further [n] (xs: [n]i32) = tabulate (n / 2) (\i -> xs[2 * i + 1] + xs[2 * i + 2])
-- Another quotient.
entry other [n] (xs: [n]i32) = tabulate (n / 2) (\i -> xs[3 * i])
entry before [n] (xs: [n]i32) = tabulate (n / 2) (\i -> xs[2 * i - 1])
