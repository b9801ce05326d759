-- SPDX-License-Identifier: Apache-2.0
-- Reductions and scans of whole rows inside nests, where the number of rows, their length or both
-- differ from iteration to iteration.
-- ==
-- entry: row_count
-- input { [2i64, 0i64, 3i64] [[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]] }
-- output { [[4i64, 6i64], [0i64, 0i64], [9i64, 12i64]] }
-- ==
-- entry: both
-- input { [2i64, 0i64, 3i64] } output { [3i64, 0i64, 18i64] }
-- ==
-- entry: scanned
-- input { [2i64, 0i64, 3i64] } output { [5i64, 0i64, 30i64] }
-- ==
-- entry: filtered
-- input { [[1i64, -2i64], [3i64, 4i64], [-5i64, 6i64]] [0i64, 2i64] } output { [[4i64, 2i64], [3i64, 4i64]] }
-- ==
-- entry: deeper
-- input { [1i64, 2i64] } output { [0i64, 12i64] }
-- ==
-- entry: maxima
-- input { [2i64, 1i64, 4i64] } output { [1i64, 0i64, 15i64] }
-- ==
-- entry: beside
-- input { [3i64, 0i64, 1i64] } output { [11i64, 0i64, 0i64] }
-- ==
-- entry: products
-- input { [0i64, 1i64, 3i64] } output { [[[1i64, 0i64], [0i64, 1i64]], [[1i64, 0i64], [1i64, 1i64]], [[1i64, 0i64], [6i64, 1i64]]] }

-- Some rows of one matrix.
entry row_count [k][m] (ns: []i64) (xss: [k][m]i64) =
  #[flattening(only_inner)]
  map (\n -> reduce (map2 (+)) (replicate m 0) (take n xss)) ns

-- n rows of n elements.
entry both (ns: []i64) =
  #[flattening(only_inner)]
  map (\n ->
         let xss = tabulate_2d n n (\i j -> i * j + i)
         in i64.sum (reduce (map2 (+)) (replicate n 0) xss))
      ns

entry scanned (ns: []i64) =
  #[flattening(only_inner)]
  map (\n ->
         let xss = tabulate_2d n n (\i j -> i + j)
         in i64.sum (flatten (scan (map2 (+)) (replicate n 0) xss)))
      ns

entry filtered [m] (xss: [][m]i64) (least: []i64) =
  #[flattening(only_inner)]
  map (\l -> reduce (map2 (+)) (replicate m 0) (filter (\xs -> xs[0] > l) xss)) least

-- Arrays of two dimensions are added.
entry deeper (ns: []i64) =
  #[flattening(only_inner)]
  map (\n ->
         let xsss = tabulate_3d n n n (\i j k -> i + j + k)
         in i64.sum (flatten (reduce (map2 (map2 (+))) (replicate n (replicate n 0)) xsss)))
      ns

-- Another operator, and rows that are computed on the way.
entry maxima (ns: []i64) =
  #[flattening(only_inner)]
  map (\n ->
         let rows = tabulate n (\i -> tabulate n (\j -> i * j))
         in i64.sum (map (\x -> if x < 0 then 0 else x) (reduce (map2 i64.max) (replicate n i64.lowest) (map (map (\x -> x % 7)) rows))))
      ns

-- A reduction of rows beside one of scalars.
entry beside (ns: []i64) =
  #[flattening(only_inner)]
  map (\n ->
         let xss = tabulate_2d n n (\i j -> i * j)
         let (xs, most) =
           reduce (\(as, a) (bs, b) -> (map2 (+) as bs, i64.max a b))
                  (replicate n 0, 0)
                  (zip xss (iota n))
         in i64.sum xs + most)
      ns

-- No map: one thread for each iteration.
entry products (ns: []i64) =
  #[flattening(only_inner)]
  map (\n ->
         let mul (a: [2][2]i64) (b: [2][2]i64) = map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a
         in reduce mul [[1, 0], [0, 1]] (tabulate n (\i -> [[1, 0], [i + 1, 1]])))
      ns
