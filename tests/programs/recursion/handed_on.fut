-- SPDX-License-Identifier: Apache-2.0
-- Functions that call themselves with some arguments as they were: arrays, parts of arrays and scalars that all calls share,
-- one to four results, of scalars and of arrays, failures on the way.

-- A tree in arrays: what is below a node, with a weight that all calls share.
def weigh [n] (first: [n]i64) (count: [n]i64) (weights: [n]f64) (factor: f64) (at: i64): (f64, f64) =
  if count[at] == 0 then (weights[at] * factor, 1)
  else loop (w, d) = (weights[at], 0) for c < count[at] do
         let (w', d') = weigh first count weights factor (first[at] + c)
         in (w + w', f64.max d (d' + 1))

-- ==
-- entry: weights
-- input { [1i64, 3i64, 0i64, 4i64, 0i64] [2i64, 1i64, 0i64, 1i64, 0i64] [1.0, 2.0, 3.0, 4.0, 5.0] 0.5 }
-- output { 11.0 4.0 }
-- input { [7i64] [1i64] [1.0] 0.5 }
-- error: out of bounds for array of shape
entry weights [n] (first: [n]i64) (count: [n]i64) (ws: [n]f64) (factor: f64): (f64, f64) = weigh first count ws factor 0

-- Three numbers and a condition do not fit into registers.
def spread (low: i64) (high: i64) (n: i64): (i64, i64, i64, bool) =
  if n <= 0 then (low, high, n, low < high)
  else let (a, b, c, d) = spread low high (n - 1)
       in (a + n, b - n, c + 1, !d)

-- ==
-- entry: spreads
-- input { 1i64 100i64 5i64 } output { 16i64 85i64 5i64 false }
-- input { 1i64 1i64 0i64 } output { 1i64 1i64 0i64 false }
entry spreads (low: i64) (high: i64) (n: i64) = spread low high n

-- A part of an array that becomes shorter, beside one that stays; an array as result.
def merged [m] (table: [m]i32) (n: i64) (xs: [n]i32): [n]i32 =
  if n < 2 then map (\x -> x + table[i64.i32 x % m]) xs
  else let k = n / 2
       in (merged table k (take k xs) ++ merged table (n - k) (drop k xs)) :> [n]i32

-- ==
-- entry: merges
-- input { [10, 20, 30] [0, 1, 2, 3, 4, 5, 6] } output { [10, 21, 32, 13, 24, 35, 16] }
-- input { [10] empty([0]i32) } output { empty([0]i32) }
entry merges [m] [n] (table: [m]i32) (xs: [n]i32) = merged table n xs

-- ==
-- entry: many
-- input { [10, 20, 30] 1000i64 }
-- output { 20000i64 }
entry many [m] (table: [m]i32) (n: i64): i64 =
  map (\i -> let xs = merged table 5 (tabulate 5 (\k -> i32.i64 (i + k))) in i64.i32 (xs[0] - i32.i64 i)) (iota n)
  |> map (\x -> if x == 10 || x == 20 || x == 30 then 20 else 0) |> i64.sum
