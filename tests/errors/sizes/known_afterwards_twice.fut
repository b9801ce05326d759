-- SPDX-License-Identifier: Apache-2.0
-- Both functions need the size of an array that is made after them.
def at_most [n] (limit: [n]i32 -> i64) : [n]i32 -> i64 =
  let m = n + 1
  in \xs -> i64.min m (limit xs)
def main (xs: []i32) =
  let a = at_most (\_ -> 7) <| filter (> 0) xs
  let b = at_most (\_ -> 8) <| filter (< 9) xs
  in a + b
