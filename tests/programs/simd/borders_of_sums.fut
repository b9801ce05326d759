-- SPDX-License-Identifier: Apache-2.0
-- Sums whose points look at their neighbours: groups in the middle of an array, groups at its ends.
-- ==
-- entry: clamped equal chosen narrow beside rows
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [15]i32 } auto output
-- random input { [16]i32 } auto output
-- random input { [17]i32 } auto output
-- random input { [33]i32 } auto output
-- random input { [64]i32 } auto output
-- random input { [200]i32 } auto output
-- random input { [5000]i32 } auto output
-- ==
-- entry: far
-- input { 100i64 9223372036854775807i64 } auto output
-- input { 100i64 9223372036854775780i64 } auto output
-- input { 100i64 -9223372036854775808i64 } auto output
-- input { 100i64 50i64 } auto output
-- input { 100i64 -50i64 } auto output
-- ==
-- entry: held
-- input { 5i64 400i64 } auto output
-- input { 0i64 400i64 } auto output
-- input { 399i64 400i64 } auto output
-- input { -1i64 400i64 } error: Index \[-1\] out of bounds

entry clamped [n] (xs: [n]i32) : i32 =
  i32.sum (tabulate n (\i -> xs[i64.max 0 (i - 1)] * xs[i] + 3 * xs[i64.min (n - 1) (i + 1)] * xs[i]))

entry equal [n] (xs: [n]i32) : i32 =
  i32.sum (tabulate n (\i -> if i == 0 || i == n - 1 then xs[i] else xs[i - 1] * xs[i + 1] - xs[i]))

entry chosen [n] (xs: [n]i32) : (i32, i32) =
  let before i = if i < 1 then xs[i] else xs[i - 1]
  let after i = if n <= i + 2 then 7 * xs[i] else xs[i + 2]
  in (i32.sum (tabulate n (\i -> before i * xs[i])), i32.maximum (tabulate n (\i -> after i + xs[i])))

entry narrow [n] (xs: [n]i32) : i32 =
  i32.sum (tabulate n (\i -> let k = i32.i64 i
                             in xs[i64.i32 (i32.max 0 (k - 2))] * xs[i64.i32 (i32.min (i32.i64 n - 1) (k + 1))]))

-- Values are stored as well.
entry beside [n] (xs: [n]i32) : (i32, [n]i32) =
  let ys = tabulate n (\i -> xs[i64.max 0 (i - 1)] - 2 * xs[i] + xs[i64.min (n - 1) (i + 1)])
  in (i32.sum ys, ys)

entry rows [n] (xs: [n]i32) : [3]i32 =
  tabulate 3 (\r -> i32.sum (tabulate n (\i -> i32.i64 r * xs[i64.max 0 (i - r)] * xs[i64.min (n - 1) (i + r)])))

-- Numbers that wrap inside a group.
entry far (n: i64) (from: i64) : i64 =
  let xs = map (\i -> i * i) (iota n)
  in i64.sum (tabulate n (\i -> xs[i64.max 0 (i64.min (n - 1) (from + i))] * (1 + xs[i])))

-- An end that is not in the array.
entry held (most: i64) (n: i64) : i64 =
  let xs = map (\i -> 3 * i) (iota n)
  in i64.sum (tabulate n (\i -> xs[i64.min most i] * (1 + xs[i])))
