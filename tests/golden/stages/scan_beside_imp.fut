-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=stream --disable=caches
-- A scan beside a checked gather and a scatter: points in lanes, straight into the results, which are then
-- scanned where they are.
entry main [n] (xs: [n]i32) (is: [n]i64) : ([n]i32, [n]i64, [n]i64) =
  let ys = map (\i -> xs[i]) is
  in (ys, scan (+) 0 (map (\y -> i64.bool (y > 7)) ys), scatter (replicate n 0) is (iota n))
