-- SPDX-License-Identifier: Apache-2.0
-- What was scanned is reduced, counted or filtered in the same pass.
-- ==
-- entry: most
-- random input { [1000]i32 } auto output
-- random input { [70000]i32 } auto output
-- random input { [0]i32 } auto output
entry most [n] (xs: [n]i32): (i32, i32) =
  let ys = scan (+) 0 xs in (i32.maximum ys, i32.sum (map (\y -> y & 7) ys))

-- ==
-- entry: kept
-- random input { [1000]i32 } auto output
-- random input { [70000]i32 } auto output
-- random input { [0]i32 } auto output
entry kept [n] (xs: [n]i32): ([]i32, i32) =
  let ys = scan (+) 0 xs in (filter (\y -> y % 3 == 0) ys, i32.sum xs)

-- ==
-- entry: parts
-- random input { [5000]i32 } auto output
entry parts [n] (xs: [n]i32): ([]i32, []i32, i32) =
  let ys = map2 (+) xs (scan i32.max i32.lowest xs)
  let (a, b) = partition (\y -> y < 0) ys
  in (a, b, i32.minimum ys)

-- Not all of it fails.
-- ==
-- entry: fails
-- input { [1, 2, 3] } error: Index \[3\] out of bounds
-- input { [0, 1, 1] } output { 3i32 }
entry fails [n] (xs: [n]i32): i32 =
  i32.sum (map (\i -> xs[i]) (scan (+) 0 xs)) + xs[0] + 1
