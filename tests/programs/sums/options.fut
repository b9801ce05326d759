-- SPDX-License-Identifier: Apache-2.0
-- A generic type of optional values, arrays of it, and equality of sums.
-- ==
-- entry: firsts
-- input { [[0, 3, 0], [0, 0, 0], [7, 1, 0]] } output { [3, -1, 7] }
-- ==
-- entry: same
-- input { 1 1 } output { true }
-- input { 1 2 } output { false }
-- input { -1 -2 } output { true }

type opt 'a = #none | #some a

def or_else 'a (o: opt a) (x: a) : a = match o case #none -> x case #some y -> y

def first [n] (p: i32 -> bool) (xs: [n]i32) : opt i32 =
  loop found: opt i32 = #none for x in reverse xs do if p x then #some x else found

entry firsts [n] [m] (xss: [n][m]i32) : [n]i32 = map (\xs -> first (> 0) xs `or_else` (-1)) xss

def positive (x: i32) : opt i32 = if x > 0 then #some x else #none
entry same (x: i32) (y: i32) : bool = positive x == positive y
