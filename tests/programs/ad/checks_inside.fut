-- SPDX-License-Identifier: Apache-2.0
-- Checks of the program are checks of its derivatives.
-- ==
-- entry: forward reverse
-- input { [1.0, 2.0] 1i64 } output { [0.0, 4.0] }
-- input { [1.0, 2.0] 2i64 } error: Index \[2\] out of bounds for array of shape \[2\]

def f (i: i64) (x: []f64) = x[i] * x[i]

entry reverse [n] (x: [n]f64) (i: i64) : [n]f64 = vjp (f i) x 1
entry forward [n] (x: [n]f64) (i: i64) : [n]f64 =
  tabulate n (\k -> jvp (f i) x (tabulate n (\j -> f64.bool (j == k))))
