-- SPDX-License-Identifier: Apache-2.0
-- Long scans on integers, whose chunks are scanned at once if it is their turn, and rows of every short length.

-- ==
-- entry: sums pairs flags
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 1000i64 } output { true }
-- compiled input { 40000i64 } output { true }
-- compiled input { 1000003i64 } output { true }
entry sums (n: i64) : bool =
  let xs = map (\i -> i * i % 1001 - 500) (iota n)
  let ys = scan (+) 0 xs
  in and (map (\i -> ys[i] == xs[i] + (if i == 0 then 0 else ys[i - 1])) (iota n))

entry pairs (n: i64) : bool =
  let xs = map (\i -> (i32.i64 (i % 7) - 3, i32.i64 (i % 5))) (iota n)
  let op (a, b) (c, d) : (i32, i32) = (a * c, b * c + d)
  let ys = scan op (1, 0) xs
  in and (map (\i -> ys[i] == op (if i == 0 then (1, 0) else ys[i - 1]) xs[i]) (iota n))

entry flags (n: i64) : bool =
  let xs = map (\i -> (i32.i64 i, i % 37 == 5 || i % 1000 == 0)) (iota n)
  let op (x: i32, f) (y, g) = (if g then y else x + y, f || g)
  let ys = scan op (0, false) xs
  in and (map (\i -> ys[i] == op (if i == 0 then (0, false) else ys[i - 1]) xs[i]) (iota n))

-- ==
-- entry: short_rows
-- input { 103i64 30i64 } output { true }
entry short_rows (n: i64) (most: i64) : bool =
  let ok (m: i64) =
    let xss = tabulate_2d n m (\i j -> i32.i64 (i * 31 + j * j))
    let yss = map (scan (+) 0) xss
    in and (map2 (\xs ys -> and (map (\j -> ys[j] == i32.sum xs[:j + 1]) (iota m))) xss yss)
  in all ok (iota most)
