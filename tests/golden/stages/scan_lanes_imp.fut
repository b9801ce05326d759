-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=stream --disable=caches
-- A scan by segments that flags begin: lanes of one loop look at each other, and the scanned values stay in registers.
entry main [n] (fs: [n]bool) (xs: [n]f32) : [n]f32 =
  let r = scan (\(f, x) (g, y) -> (f || g, if g then y else x + y)) (false, 0) (zip fs xs)
  in map (\(_, x) -> x * 2) r
