-- SPDX-License-Identifier: Apache-2.0
-- Operators that may fail, over more elements than one thread walks through: no thread may combine what no chunk has found.
-- ==
-- entry: totals
-- input { 17i64 [0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2] } output { 0 24 }
-- input { 1000i64 [0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2] } output { 0 1500 }
-- input { 100003i64 [0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2] } output { 3 150004 }
-- input { 1200005i64 [0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2] } output { 2 1800008 }
-- input { 1000i64 [0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 7] } error: out of bounds
-- ==
-- entry: total
-- input { 17i64 [0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2] } output { 0 }
-- input { 100003i64 [0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2] } output { 3 }
-- ==
-- entry: rows
-- input { 3i64 1000i64 [0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2] } output { [1500, 1500, 1500] }
-- ==
-- entry: quotients
-- input { 1000i64 } output { 6000i64 }
-- input { 100000i64 } output { 600000i64 }

def numbers (n: i64): [n]i32 = map (\i -> i32.i64 (i % 4)) (iota n)

def chosen (table: [16]i32) (a: i32) (b: i32): i32 = table[a * 4 + b]

entry totals (n: i64) (table: [16]i32): (i32, i32) =
  let all = scan (chosen table) 0 (numbers n)
  in (all[n - 1], i32.sum all)

entry total (n: i64) (table: [16]i32): i32 = reduce (chosen table) 0 (numbers n)

entry rows (k: i64) (n: i64) (table: [16]i32): [k]i32 =
  map (\_ -> i32.sum (scan (chosen table) 0 (numbers n))) (iota k)

entry quotients (n: i64): i64 =
  let op (a: i64) (b: i64): i64 = if a == 0 then b else if b == 0 then a else (a / b) * b
  in i64.sum (scan op 0 (map (\i -> 6 + 0 * i) (iota n)))
