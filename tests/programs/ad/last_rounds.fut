-- SPDX-License-Identifier: Apache-2.0
-- Loops whose states are arrays: where only the derivative is wanted, what the last round gives is not computed; its checks are
-- made all the same.

def rounds [n] (xs: [n]f64) (k: i64) : [n]f64 =
  loop ys = xs for i < k do map2 (\y j -> y * ys[(j + 1) % n] + f64.i64 i) ys (iota n)

-- ==
-- entry: derivative
-- input { [2f64, 3f64] 0i64 } output { [1f64, 1f64] }
-- input { [2f64, 3f64] 1i64 } output { [6f64, 4f64] }
-- input { [2f64, 3f64] 2i64 } output { [72f64, 48f64] }
-- input { [2f64, 3f64] -1i64 } output { [1f64, 1f64] }
entry derivative [n] (xs: [n]f64) (k: i64) : [n]f64 = vjp (\ys -> rounds ys k) xs (replicate n 1)

-- ==
-- entry: value_and_derivative
-- input { [2f64, 3f64] 0i64 } output { [2f64, 3f64] [1f64, 1f64] }
-- input { [2f64, 3f64] 2i64 } output { [37f64, 37f64] [72f64, 48f64] }
entry value_and_derivative [n] (xs: [n]f64) (k: i64) : ([n]f64, [n]f64) = vjp2 (\ys -> rounds ys k) xs (replicate n 1)

-- ==
-- entry: used_after
-- input { [2f64, 3f64] 1i64 } output { [72f64, 48f64] }
entry used_after [n] (xs: [n]f64) (k: i64) : [n]f64 = vjp (\ys -> map (\y -> y * y) (rounds ys k)) xs (replicate n 1)

-- The last of three rounds reads out of bounds.
-- ==
-- entry: fails_in_the_last_round
-- input { [2f64, 3f64, 4f64] 2i64 } output { [36f64, 252f64, 117f64] }
-- input { [2f64, 3f64, 4f64] 3i64 } error: out of bounds
entry fails_in_the_last_round [n] (xs: [n]f64) (k: i64) : [n]f64 =
  vjp (\start -> loop ys = start for i < k do map (\y -> y * ys[i + 1]) ys) xs (replicate n 1)
