-- SPDX-License-Identifier: Apache-2.0
-- Every name of the combinators over arrays.
-- ==
-- entry: maps
-- input { [1, 2, 3] [10, 20, 30] }
-- output { [2, 3, 4] [2, 3, 4] [11, 22, 33] [12, 24, 36] [22, 44, 66] [23, 46, 69] }

entry maps [n] (a: [n]i32) (b: [n]i32) =
  ( map (+ 1) a
  , map1 (+ 1) a
  , map2 (+) a b
  , map3 (\x y z -> x + y + z) a b a
  , map4 (\x y z w -> x + y + z + w) a b a b
  , map5 (\x y z w v -> x + y + z + w + v) a b a b a
  )

-- ==
-- entry: folds
-- input { [3, 1, 2] } output { 6 6 [3, 4, 6] [0, 3, 4] true false true false }
-- input { empty([0]i32) } output { 0 0 empty([0]i32) empty([0]i32) true false true false }

entry folds (a: []i32) =
  ( reduce (+) 0 a
  , reduce_comm (+) 0 a
  , scan (+) 0 a
  , exscan (+) 0 a
  , all (> 0) a
  , any (> 3) a
  , and (map (> 0) a)
  , or (map (> 3) a)
  )

-- ==
-- entry: histograms
-- input { [0i64, 2i64, 0i64, 9i64, -1i64] [1, 2, 3, 4, 5] }
-- output { [4, 0, 2] [104, 100, 102] [[4, 0], [0, 2]] [[[4], [0]], [[0], [2]]] }

entry histograms [n] (is: [n]i64) (xs: [n]i32) =
  let pairs = map (\i -> (i64.min i 1, i64.min i 1)) is
  let triples = map (\i -> (i64.min i 1, i64.min i 1, 0i64)) is
  let inside = map (\i -> i >= 0 && i <= 2) is
  let keep = map2 (\ok x -> if ok then x else 0) inside xs
  in ( hist (+) 0 3 is xs
     , reduce_by_index (replicate 3 100) (+) 0 is xs
     , reduce_by_index_2d (replicate 2 (replicate 2 0)) (+) 0 pairs keep
     , reduce_by_index_3d (replicate 2 (replicate 2 (replicate 1 0))) (+) 0 triples keep
     )

-- ==
-- entry: scatters
-- input { [1i64, 5i64, 0i64] [7, 8, 9] }
-- output { [9, 7, -1] [9, 7, 0] [[9, 0], [0, 7]] [[[9], [0]], [[0], [7]]] }

entry scatters [n] (is: [n]i64) (xs: [n]i32) =
  ( spread 3 (-1) is xs
  , scatter (replicate 3 0) is xs
  , scatter_2d (replicate 2 (replicate 2 0)) (map (\i -> (i, i)) is) xs
  , scatter_3d (replicate 2 (replicate 2 (replicate 1 0))) (map (\i -> (i, i, 0)) is) xs
  )

-- ==
-- entry: choices
-- input { [5, -2, 0, 7, -9] }
-- output { [5, 7] [5, 7] [-2, 0, -9] [5, 7] [-2, -9] [0] }

entry choices (a: []i32) =
  let (p, q) = partition (> 0) a
  let (x, y, z) = partition2 (> 0) (< 0) a
  in (filter (> 0) a, p, q, x, y, z)

-- Segment sizes, flags, offsets, data, and the results that are not arrays.
-- ==
-- entry: flat
-- input { [2i64, 0i64, 3i64] }
-- output { [2i64, 0i64, 3i64] [0i64, 1i64, 0i64, 1i64, 2i64] [20i64, 0i64, 30i64] 5i64 [0i64, 1i64, 0i64, 1i64, 2i64] }

entry flat (ns: []i64) =
  let f (n: i64, k: i64) = (iota n, n * k)
  let pairs = map (\n -> (n, 10)) ns
  let (sizes, flags, _, data, rest) = flatmap f pairs
  let (_, _, _, data') = flatmap' (\(n, _) -> iota n) pairs
  in (sizes, data, rest, length flags, data')
