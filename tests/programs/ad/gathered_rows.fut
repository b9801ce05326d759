-- SPDX-License-Identifier: Apache-2.0
-- Rows of two tables are gathered and go through functions; their cotangents are computed first and written then.
-- ==
-- entry: by_tables
-- input { [[0.5, 1.0], [2.0, 0.25]] [[1.0, 2.0, 3.0]] [0i64, 1i64, 1i64] [0i64, 0i64, 0i64] } auto output
-- input { [[0.5, 1.0], [2.0, 0.25]] [[1.0, 2.0, 3.0]] empty([0]i64) empty([0]i64) } auto output
-- input { [[0.5, 1.0], [2.0, 0.25]] [[1.0, 2.0, 3.0]] [0i64, 2i64] [0i64, 0i64] } error: Index \[2\] out of bounds
-- ==
-- entry: many
-- input { 5000i64 } auto output
-- input { 70000i64 } auto output

def value (a: [2]f64) (b: [3]f64) : f64 =
  let angle = f64.sqrt (a[0] * a[0] + b[1] * b[1])
  let turned = if angle == 0 then b[0] else b[0] * f64.cos angle + b[2] * f64.sin angle / angle
  in turned * f64.exp (0 - a[1] * a[1]) + f64.log (1 + b[2] * b[2])

def total [n] [m] [k] (xs: [n][2]f64) (ys: [m][3]f64) (is: [k]i64) (js: [k]i64) : f64 =
  f64.sum (map2 (\i j -> value xs[i] ys[j]) is js)

entry by_tables [n] [m] [k] (xs: [n][2]f64) (ys: [m][3]f64) (is: [k]i64) (js: [k]i64) : ([n][2]f64, [m][3]f64) =
  vjp (\(xs, ys) -> total xs ys is js) (xs, ys) 1

entry many (k: i64) : ([7][2]f64, [40][3]f64) =
  let xs = tabulate_2d 7 2 (\i j -> 0.1 * f64.i64 (i + 2 * j))
  let ys = tabulate_2d 40 3 (\i j -> 0.05 * f64.i64 (i * j) - 0.3)
  in by_tables xs ys (map (% 7) (iota k)) (map (\i -> i * i % 40) (iota k))
