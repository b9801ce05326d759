-- SPDX-License-Identifier: Apache-2.0
-- So many points for each bin that devices collect them in groups.
-- ==
-- entry: counts
-- input { 300000i64 } auto output
entry counts (n: i64): [100]i32 =
  hist (+) 0 100 (map (\i -> (i * 7919) % 103) (iota n)) (map i32.i64 (iota n))

-- ==
-- entry: two_dimensions
-- input { 300000i64 } auto output
entry two_dimensions (n: i64): [5][20]i64 =
  reduce_by_index_2d (replicate 5 (replicate 20 1000i64)) i64.max 0
                     (map (\i -> ((i * 31) % 6, (i * 7919) % 21)) (iota n))
                     (map (\i -> (i * i) % 1000003) (iota n))

-- Narrow elements, and an operator that no instruction does.
-- ==
-- entry: narrow
-- input { 300000i64 } auto output
entry narrow (n: i64): ([7]i8, [7]f32) =
  (hist (\a b -> a * b) 1i8 7 (map (% 8) (iota n)) (map (\i -> i8.i64 (i % 5) + 1) (iota n)),
   hist f32.max (-f32.inf) 7 (map (% 6) (iota n)) (map (\i -> f32.i64 ((i * 37) % 1009)) (iota n)))

-- ==
-- entry: fails
-- input { 300000i64 270000i64 } error: Index \[270000\] out of bounds
-- input { 300000i64 300000i64 } output { [100000i32, 100000i32, 100000i32] }
entry fails (n: i64) (k: i64): [3]i32 =
  let ones = replicate k 1i32
  in hist (+) 0 3 (map (% 3) (iota n)) (map (\i -> ones[i]) (iota n))

-- ==
-- entry: no_bins
-- input { 10i64 } output { empty([0]i32) }
entry no_bins (n: i64): [0]i32 =
  hist (+) 0 0 (iota n) (replicate n 1i32)
