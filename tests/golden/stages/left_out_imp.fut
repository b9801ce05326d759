-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=caches
-- Points that a scatter leaves out: a branch that nobody can foresee.  Where all points go somewhere
-- (`all_of_them`) the test for a place that does not exist always ends alike.
entry some [n] (xs: [n]i32) : *[n]i32 =
  scatter (replicate n 0) (map2 (\i x -> if x > 0 then i64.i32 x else -1) (iota n) xs) xs

entry all_of_them [n] (is: [n]i32) (xs: [n]i32) : *[n]i32 =
  scatter (replicate n 0) (map i64.i32 is) xs
