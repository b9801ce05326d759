-- SPDX-License-Identifier: Apache-2.0
-- Parameters that are consumed, results that alias nothing, copies that keep the original.
-- ==
-- entry: kept
-- input { [1, 2, 3] } output { [1, 2, 3] [9, 2, 3] [1, 2, 9] }

def set (xs: *[]i32) (i: i64) : *[]i32 = xs with [i] = 9

entry kept (xs: []i32) =
  let first = set (copy xs) 0
  let last = set (copy xs) 2
  in (xs, first, last)

-- The caller gives its array away.
-- ==
-- entry: given
-- input { [1, 2, 3] } output { [9, 2, 9] }

entry given (xs: *[]i32) : *[]i32 = set (set xs 0) 2

-- In loops, tuples and records; each component has its own aliases.
-- ==
-- entry: parts
-- input { 3i64 } output { [0i64, 1i64, 4i64] [7i64, 1i64, 2i64] [1i64, 1i64, 1i64] }

entry parts (n: i64) =
  let squares = loop xs = replicate n 0 for i < n do xs with [i] = i * i
  let (a, b) = (iota n, replicate n 1i64)
  let {x, y} = {x = a, y = b}
  let x' = x with [0] = 7
  in (squares, x', y)

-- Rows of a matrix are updated in place inside a map over fresh rows.
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] } output { [[0, 2], [0, 4]] }

entry rows [n] [m] (xss: [n][m]i32) : [n][m]i32 = map (\xs -> copy xs with [0] = 0) xss
