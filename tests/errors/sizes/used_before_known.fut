-- SPDX-License-Identifier: Apache-2.0
-- The function needs the size of an array that is made after it.
def at_most [n] (limit: [n]i32 -> i64) : [n]i32 -> i64 =
  let m = n + 1
  in \xs -> i64.min m (limit xs)
def main (xs: []i32) = at_most (\_ -> 7) <| filter (> 0) xs
