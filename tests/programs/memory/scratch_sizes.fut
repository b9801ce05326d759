-- SPDX-License-Identifier: Apache-2.0
-- Arrays inside kernels whose sizes are constants found late, or differ from one point to the next.
-- ==
-- entry: first_as_size
-- input { 4i64 } output { [0i64, 0i64, 0i64, 0i64] }
-- ==
-- entry: own_size
-- input { 5i64 3i64 } output { [9i64, 18i64, 30i64] }
entry first_as_size (n: i64) : [n]i64 =
  let is = iota n
  in map (\i -> i64.sum (map (+ i) (replicate is[0] i))) is

entry own_size (m: i64) (n: i64) : [n]i64 =
  map (\j ->
         let ds = iota j
         let grid = replicate m (map (+ 2) ds)
         let changed = copy grid with [0, 0] = j * j
         in changed[0, 0] + i64.sum changed[m - 1])
      (map (+ 2) (iota n))
