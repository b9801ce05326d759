-- SPDX-License-Identifier: Apache-2.0
-- Reductions and scans with operators on arrays take maps, and stand beside maps and each other.
-- ==
-- entry: doubled
-- input { [[1, 2], [3, 4], [5, 6]] } output { [18, 24] }
-- ==
-- entry: kept
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[2, 4], [6, 8], [10, 12]] [18, 24] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) [0, 0] }
-- ==
-- entry: scanned
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[2, 4], [8, 12], [18, 24]] }
-- ==
-- entry: beside
-- input { [[1, 7], [3, 4], [5, 6]] } output { [1, 3, 5] [9, 17] [5, 7] }
-- ==
-- entry: changed
-- input { [[1, 7], [3, 4], [5, 6]] } output { [9, 17] [[9, 17], [3, 4], [5, 6]] }
-- ==
-- entry: square
-- input { [[1, 2], [3, 4]] [10, 20] } output { [26, 48] }
-- ==
-- entry: inside
-- input { [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] }
-- output { [[8, 12], [24, 28]] [[[2, 4], [6, 8]], [[10, 12], [14, 16]]] }

entry doubled [n][m] (xss: [n][m]i32) = reduce (map2 (+)) (replicate m 0) (map (map (* 2)) xss)

entry kept [n][m] (xss: [n][m]i32) =
  let yss = map (map (* 2)) xss
  in (yss, reduce (map2 (+)) (replicate m 0) yss)

entry scanned [n][m] (xss: [n][m]i32) = scan (map2 (+)) (replicate m 0) (map (map (* 2)) xss)

entry beside [n][m] (xss: [n][m]i32) =
  ( map (\xs -> xs[0]) xss
  , reduce (map2 (+)) (replicate m 0) xss
  , reduce (map2 i32.max) (replicate m i32.lowest) xss
  )

-- What the map hands on is an array of its own.
entry changed [n][m] (xss: [n][m]i32) =
  let s = reduce (map2 (+)) (replicate m 0) xss
  let yss = map (\xs -> opaque xs) xss
  in (s, copy yss with [0] = s)

-- The total has as many elements as there are rows, and is read like them.
entry square [n] (xss: [n][n]i32) (ys: [n]i32) =
  reduce (map2 (+)) (replicate n 0) (map (map2 (+) ys) xss) |> map (+ 2)

entry inside [k][n][m] (xsss: [k][n][m]i32) =
  unzip (map (\xss ->
                let yss = map (map (* 2)) xss
                in (reduce (map2 (+)) (replicate m 0) yss, yss))
             xsss)
