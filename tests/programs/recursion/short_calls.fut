-- SPDX-License-Identifier: Apache-2.0
-- Calls that end at once are done where they stand: whatever the last call gives, asks or fails with.

-- The last calls give their argument, which the caller has made.
def evens [n] (xs: [n]i64) = xs[0::2]
def odds [n] (xs: [n]i64) = tabulate (n / 2) (\i -> xs[2 * i + 1])
def reordered [n] (xs: [n]i64) : []i64 =
  if n < 2 then xs else reordered (copy (evens xs)) ++ reordered (odds xs)

-- ==
-- entry: bit_reversed
-- input { 8i64 } output { [0i64, 4i64, 2i64, 6i64, 1i64, 5i64, 3i64, 7i64] }
-- input { 0i64 } output { empty([0]i64) }
-- input { 1i64 } output { [0i64] }
entry bit_reversed (n: i64) = reordered (iota n)

-- Blocks of many sizes, also on several threads.
-- ==
-- entry: many
-- input { 100000i64 } output { true }
entry many (n: i64) =
  let ys = reordered (iota n)
  in i64.sum ys == i64.sum (iota n) && length ys == n

-- Two ways to end, of which one is found in the first round of a loop.
def depth (n: i64) : i64 =
  if n < 2 then n
  else if n % 2 == 0 then 1 + depth (n / 2)
  else depth (n / 2) + depth (n - n / 2)

-- ==
-- entry: depths
-- input { 7i64 } output { [0i64, 1i64, 2i64, 3i64, 3i64, 5i64, 4i64] }
entry depths (n: i64) = map depth (iota n)

-- The question comes after a check, and so does the answer.
def walk [n] (next: [n]i64) (left: [n]i64) (i: i64) : i64 =
  if next[i] < 0 then left[left[i]] else walk next left next[i] + walk next left (next[i] + 1)

-- ==
-- entry: walks
-- input { [1i64, -1i64, -1i64] [0i64, 1i64, 2i64] } output { [3i64, 1i64, 2i64] }
-- input { [1i64, -1i64, -1i64] [0i64, 5i64, 2i64] } error: `left` has shape
-- input { [2i64, -1i64, -1i64] [0i64, 1i64, 2i64] } error: `next` has shape
entry walks [n] (next: [n]i64) (left: [n]i64) = map (walk next left) (iota n)

-- ==
-- entry: no_end
-- input { 1i64 } error: too deep
def down (k: i64) : i64 = if k == 0 then 0 else down (k - 1) + down (k + 1)
entry no_end (n: i64) = down n
