-- SPDX-License-Identifier: Apache-2.0
-- Lanes of one byte beside lanes of eight, with as many points as do not fill the lanes: what lies behind is not touched.

def at [n] (xs: [n]f64) (i: i64) : f64 = xs[i64.min (n - 1) (i64.max 0 i)]
def numbers (n: i64) : [n]f64 = map (\i -> 0.5 + 0.01 * f64.i64 i) (iota n)

-- ==
-- entry: all_of some_of
-- input { 1i64 } output { true }
-- input { 5i64 } output { true }
-- input { 7i64 } output { true }
-- input { 9i64 } output { true }
-- input { 15i64 } output { true }
-- input { 20i64 } output { true }
-- input { 47i64 } output { true }
entry all_of (n: i64) =
  let xs = numbers n
  in and (tabulate n (\i -> f64.sin (at xs (i + 1)) > 0))

entry some_of (n: i64) =
  let xs = numbers n
  let sums = tabulate n (\i -> at xs (i - 1) * f64.sin (at xs (i + 2)))
  in and (map (> 0) sums) && f64.abs (f64.sum sums - (loop s = 0 for i < n do s + sums[i])) < 1e-9

-- Bytes that are stored, with others behind them.
-- ==
-- entry: stored
-- input { 7i64 } output { [1u8, 1u8, 1u8, 1u8, 1u8, 1u8, 1u8, 9u8, 9u8] }
-- input { 3i64 } output { [1u8, 1u8, 1u8, 9u8, 9u8] }
entry stored (n: i64) : []u8 =
  let xs = numbers n
  let behind = replicate (n + 2) 9u8
  in behind with [0:n] = tabulate n (\i -> u8.bool (f64.sin (at xs (i + 1)) > 0))
