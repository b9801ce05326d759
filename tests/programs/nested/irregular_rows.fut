-- SPDX-License-Identifier: Apache-2.0
-- Matrices inside nests, of another size in every iteration.
-- ==
-- entry: tables
-- input { [3i64, 0i64, 1i64, 2i64] } output { [42i64, 0i64, 0i64, 5i64] }
-- ==
-- entry: pairs
-- input { [1i64, 2i64, 3i64, 4i64, 5i64] [0i64, 1i64, 5i64, 2i64] } output { [0i64, 1i64, 825i64, 15i64] }
-- ==
-- entry: two
-- input { [2i64, 3i64] } output { [3i64, 12i64] [9i64, 36i64] }
-- ==
-- entry: checked
-- input { [2i64, 1i64] [5i64, 6i64] } output { [22i64, 5i64] }
-- input { [2i64, 3i64] [5i64, 6i64] } error: out of bounds

entry tables (ns: []i64) =
  #[flattening(only_inner)]
  map (\n ->
         let xss = tabulate_2d n (n + 1) (\i j -> i * j)
         let yss = transpose xss
         in i64.sum (map2 (*) (map i64.sum yss) (iota (n + 1))))
      ns

-- Rows and columns are parts of one array.
entry pairs (xs: []i64) (ns: []i64) =
  #[flattening(only_inner)]
  map (\n ->
         let some = take n xs
         let prods = map (\x -> map (\y -> x * y * (x + y)) some) some
         in i64.sum (map i64.sum prods) / 2)
      ns

-- Two matrices at once.
entry two (ns: []i64) =
  #[flattening(only_inner)]
  map (\n ->
         let (as, bs) = unzip (tabulate n (\i -> unzip (tabulate n (\j -> (i + j * n, (i + 1) * (j + 1))))))
         in (i64.sum (map i64.sum as) / n, i64.sum (map i64.sum bs)))
      ns
  |> unzip

entry checked [k] (ns: []i64) (xs: [k]i64) =
  #[flattening(only_inner)]
  map (\n -> i64.sum (flatten (tabulate_2d n n (\i j -> xs[i] * 0 + xs[j])))) ns
