-- SPDX-License-Identifier: Apache-2.0
-- Cheap maps with several readers that cannot be one.
-- ==
-- entry: means
-- input { [0i32, 1i32, 0i32, 3i32] [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64], [7f64, 8f64]] }
-- output { [[3f64, 4f64], [3f64, 4f64], [0f64, 0f64]] [2i32, 1i32, 0i32] }
-- input { empty([0]i32) empty([0][2]f64) } output { [[0f64, 0f64], [0f64, 0f64], [0f64, 0f64]] [0i32, 0i32, 0i32] }
entry means [n] [d] (members: [n]i32) (points: [n][d]f64) =
  let is = map i64.i32 members
  let counts = hist (+) 0i32 3 is (replicate n 1)
  let sums = hist (map2 (+)) (replicate d 0f64) 3 is points
  in (map2 (\s c -> map (/ f64.i32 (i32.max c 1)) s) sums counts, counts)

-- ==
-- entry: scans
-- input { [1i32, 2i32, 3i32] } output { [2i64, 5i64, 9i64] [4i64, 12i64, 25i64] 25i64 }
entry scans [n] (xs: [n]i32) =
  let ys = map (\x -> i64.i32 x + 1) xs
  let a = scan (+) 0 ys
  let b = scan (+) 0 (map2 (+) ys a)
  in (a, b, i64.maximum (map2 (\y z -> z + y - y) ys b))

-- The input changes after the map.
-- ==
-- entry: changed
-- input { [1i32, 2i32, 3i32] } output { [2i64, 5i64, 9i64] [4i64, 12i64, 25i64] [7i32, 2i32, 3i32] }
entry changed [n] (xs: *[n]i32) =
  let ys = map (\x -> i64.i32 x + 1) xs
  let a = scan (+) 0 ys
  let xs = xs with [0] = 7
  in (a, scan (+) 0 (map2 (+) ys a), xs)
