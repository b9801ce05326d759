-- SPDX-License-Identifier: Apache-2.0
-- Scans whose results replace what other scans of the same kernel, or they themselves, read.
-- ==
-- entry: main
-- random input { [2][5000]i32 } auto output
-- random input { [2][100000]i32 } auto output
entry main [n] (m: *[2][n]i32) : [2][n]i32 =
  let (a, b) = unzip (scan (\(p, q) (r, s) -> (p + r, i32.max q s)) (0, i32.lowest) (zip m[1] m[0]))
  in (m with [0] = a) with [1] = b

-- ==
-- entry: shifted
-- random input { [5000]i32 } auto output
entry shifted [n] (m: *[n]i32) : [n]i32 =
  m with [1:n] = scan (+) 0 m[0:n - 1]

-- ==
-- entry: loops
-- random input { [2][5000]i32 } auto output
entry loops [n] (m: *[2][n]i32) : [2][n]i32 =
  loop m for _i < 3 do
    let (a, b) = unzip (scan (\(p, q) (r, s) -> (p + r, i32.max q s)) (0, i32.lowest) (zip m[1] m[0]))
    in (m with [0] = a) with [1] = b

-- ==
-- entry: rows
-- random input { [2][300][5]i32 } auto output
entry rows [n] (m: *[2][n][5]i32) : [2][n][5]i32 =
  let (a, b) = unzip (map2 (\x y -> (scan (+) 0 x, scan i32.max i32.lowest y)) m[1] m[0])
  in (m with [0] = a) with [1] = b
