-- SPDX-License-Identifier: Apache-2.0
-- Parts of arrays go through recursive calls, loops and branches.
-- ==
-- entry: search
-- input { [1, 3, 5, 7, 9, 11] 7 } output { 3i64 }
-- input { [1, 3, 5, 7, 9, 11] 12 } output { 6i64 }
-- input { empty([0]i32) 1 } output { 0i64 }
entry search [n] (xs: [n]i32) (x: i32) : i64 =
  (loop (at, part) = (0i64, xs) while length part > 0 do
     let half = length part / 2
     in if part[half] < x then (at + half + 1, part[half + 1:]) else (at, part[:half])).0

-- ==
-- entry: sums
-- input { [1, 2, 3, 4, 5, 6, 7] } output { [1, 3, 6, 10, 15, 21, 28] }
-- input { empty([0]i32) } output { empty([0]i32) }
def total [n] (xs: [n]i32) : i32 =
  if n == 0 then 0 else if n == 1 then xs[0]
  else total xs[:n / 2] + total xs[n / 2:]
entry sums [n] (xs: [n]i32) : [n]i32 = map (\i -> total xs[:i + 1]) (iota n)

-- Both sides take from one array, from different ones, and one makes a new one.
-- ==
-- entry: choices
-- input { [1, 2, 3, 4] [5, 6] 2i64 } output { [2, 3] [5] [20, 30, 40] }
-- input { [1, 2, 3, 4] [5, 6] 1i64 } output { [1, 2] [2, 3, 4] [2, 3, 4] }
entry choices [n] [m] (xs: [n]i32) (ys: [m]i32) (k: i64) : ([]i32, []i32, []i32) =
  let a = if k == 2 then xs[1:3] else xs[0:2]
  let b = if k == 2 then ys[:1] else xs[1:]
  let c = if k == 2 then map (* 10) xs[1:] else xs[1:]
  in (a, b, c)

-- What a loop hands on is changed afterwards.
-- ==
-- entry: changed
-- input { [1, 2, 3, 4, 5] } output { [0, 5] [1, 2, 3, 4, 5] }
entry changed [n] (xs: [n]i32) : ([]i32, [n]i32) =
  let part = loop part = xs while length part > 2 do part[1:]
  let own = copy part with [0] = 0
  in (own, xs)

-- Rows of two dimensions, and a part that a function gives on.
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4], [5, 6], [7, 8]] } output { [7, 8] 3i64 }
def last [n][m] (xss: [n][m]i32) (depth: i64) : ([m]i32, i64) =
  if n == 1 then (xss[0], depth) else last xss[1:] (depth + 1)
entry rows [n][m] (xss: [n][m]i32) : ([m]i32, i64) = last xss 0
