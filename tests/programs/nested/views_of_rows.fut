-- SPDX-License-Identifier: Apache-2.0
-- Views, copies and replicated values of rows, for all rows at once; rows that a sum only hands on.
-- ==
-- entry: reversed
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[3, 2, 1], [6, 5, 4]] }
-- input { empty([0][3]i32) } output { empty([0][3]i32) }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }
-- random input { [100][70]i32 }
-- ==
-- entry: transposed
-- input { [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]] } output { [[[1, 4], [2, 5], [3, 6]], [[7, 10], [8, 11], [9, 12]]] }
-- random input { [20][30][40]i32 }
-- ==
-- entry: sums_and_views
-- input { [[1, 2, 3], [4, 5, 6]] } output { [6, 15] [[18, 12, 6], [90, 75, 60]] [[2, 3], [5, 6]] }
-- random input { [200][30]i32 }
-- ==
-- entry: changed_view
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[100, 2, 1], [6, 5, 4]] [6, 15] }
-- ==
-- entry: replicated
-- input { 2i64 [[1, 2, 3], [4, 5, 6]] } output { [[6, 6], [15, 15]] [[[2, 3, 4], [2, 3, 4]], [[5, 6, 7], [5, 6, 7]]] }
-- input { 0i64 [[1, 2, 3], [4, 5, 6]] } output { [empty([0]i32), empty([0]i32)] [empty([0][3]i32), empty([0][3]i32)] }
-- ==
-- entry: looped
-- input { 3 [[1, 2, 3], [4, 5, 6]] } output { [[6, 5, 4], [9, 8, 7]] }
-- ==
-- entry: put_together
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 2, 3, 7, 8, 9, 3, 2, 1], [4, 5, 6, 19, 20, 21, 6, 5, 4]] }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }
-- random input { [60][50]i32 }
-- ==
-- entry: handed_on
-- input { [[1, 2, 3], [4, 5, 6]] } output { 27 [[2, 3, 4], [5, 6, 7]] }
-- random input { [300][40]i32 }
-- ==
-- entry: scanned
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[2, 4, 7], [8, 13, 19]] }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }
-- random input { [50][60]i32 }

entry reversed (xss: [][]i32) = map reverse xss

entry transposed (xsss: [][][]i32) = map transpose xsss

entry sums_and_views [n][m] (xss: [n][m]i32) =
  unzip3 (map (\xs -> let s = i32.sum xs in (s, map (* s) (reverse xs), tail xs)) xss)

entry changed_view [n][m] (xss: *[n][m]i32) =
  let yss = map reverse xss
  let sums = map i32.sum xss
  let yss[0, 0] = 100
  in (yss, sums)

entry replicated [n][m] (k: i64) (xss: [n][m]i32) =
  unzip (map (\xs ->
                let s = i32.sum xs
                let ys = map (+ 1) xs
                in (replicate k s, replicate k ys))
             xss)

-- Each round reverses every row.
entry looped [n][m] (k: i32) (xss: [n][m]i32) =
  map (\xs -> loop ys = xs for _i < k do reverse (map (+ 1) ys)) xss

-- Rows one after the other: as they came, computed, and the other way round.
entry put_together [n][m] (xss: [n][m]i32) =
  map (\xs ->
         let s = i32.sum xs
         let ys = map (+ s) xs
         in xs ++ ys ++ reverse xs)
      xss

-- The rows are results, and their sums are added up.
entry handed_on [n][m] (xss: [n][m]i32) =
  let (sums, yss) = unzip (map (\xs -> let ys = map (+ 1) xs in (i32.sum ys, ys)) xss)
  in (i32.sum sums, yss)

-- What follows the scan reads an element of an array of the row.
entry scanned [n][m] (xss: [n][m]i32) =
  map (\xs ->
         let ys = map (\x -> x * 2) xs
         let zs = scan (+) 0 ys
         in map2 (\z i -> (z + #[unsafe] ys[0]) / 2 + (if i < 0 then 1 else 0)) zs (indices xs))
      xss
