-- SPDX-License-Identifier: Apache-2.0
-- Arrays in a map whose size depends on the iteration, seen at a size that does not.
-- ==
-- input { 3i64 [1i64, 1i64, 1i64] } output { [[0i64, 1i64], [0i64, 1i64], [0i64, 1i64]] }
-- input { 2i64 [1i64, 2i64] } error: Value of \(desugared\) shape \[3\] cannot match shape of type "\[2\]i64"
-- ==
-- entry: first_is_short
-- input { 3i64 } error: Value of \(desugared\) shape \[1\] cannot match shape of type "\[2\]i64"

def main (n: i64) (ks: [n]i64) = map (\i -> iota (ks[i] + 1) :> [2]i64) (iota n)

entry first_is_short (n: i64) = map (\i -> iota (i + 1) :> [2]i64) (iota n)
