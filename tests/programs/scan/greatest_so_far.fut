-- SPDX-License-Identifier: Apache-2.0
-- Running maxima of floats, whose order does not matter, over many chunks; slopes are computed again for the
-- place before.

def slope [n] (xs: [n]f64) (i: i64) = if i == 0 then -f64.inf else (xs[i] - xs[0]) / f64.i64 i

-- How many are greater than all before them.
-- ==
-- entry: records
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 300001i64 } output { true }
entry records (n: i64) =
  let xs = tabulate n (\i -> f64.i64 (i * 7919 % 100003) + f64.i64 (i % 1000) * f64.i64 (i % 1000))
  let slopes = tabulate n (slope xs)
  let before = scan f64.max (-f64.inf) (tabulate n (\i -> if i == 0 then -f64.inf else slopes[i - 1]))
  let (_, count) =
    loop (top, count) = (-f64.inf, 0) for i < n do
      let s = slope xs i
      in if s > top then (s, count + 1) else (f64.max top s, count)
  in i64.sum (map2 (\b s -> i64.bool (b < s)) before slopes) == count

-- What is no number is passed over, and zeros have signs.
-- ==
-- entry: odd_ones
-- input { 100000i64 } output { true true }
entry odd_ones (n: i64) =
  let xs = tabulate n (\i -> if i % 3 == 0 then f64.nan else if i < 50000 then -0f64 else f64.i64 (i % 7) - 5)
  let up = scan f64.max (-f64.inf) xs
  let down = scan f64.min f64.inf xs
  let (_, good_up) =
    loop (top, good) = (-f64.inf, true) for i < n do
      let t = f64.max top xs[i]
      in (t, good && f64.to_bits t == f64.to_bits up[i])
  let (_, good_down) =
    loop (low, good) = (f64.inf, true) for i < n do
      let t = f64.min low xs[i]
      in (t, good && f64.to_bits t == f64.to_bits down[i])
  in (good_up, good_down)
