-- SPDX-License-Identifier: Apache-2.0
-- A size parameter of an entry point hides a definition of the same name.
-- ==
-- entry: rows
-- input { [1i64, 2i64, 3i64, 4i64, 5i64] } output { 20i64 }
-- ==
-- entry: columns
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { 14i64 }
-- ==
-- entry: both
-- input { [1i64, 2i64, 3i64] [7i64, 8i64] } output { 27i64 }

def m : i64 = 3

def n (x: i64) : i64 = x + 1

entry rows [m] (xs: [m]i64) : i64 = i64.sum xs + m

entry columns [n] (xs: [n][2]i64) : i64 = i64.sum (map i64.sum xs) + 2 * n

entry both [n] (xs: [m]i64) (ys: [n]i64) : i64 = i64.sum xs + i64.sum ys + n + 4
