-- SPDX-License-Identifier: Apache-2.0
-- Indices in fewer than 64 bits: contiguous where they do not wrap.

-- ==
-- entry: stencil
-- input { [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }
-- output { [1, 6, 9, 12, 15, 18, 21, 24, 27, 30, 11] }
-- input { [7] } output { [7] }
-- input { empty([0]i32) } output { empty([0]i32) }
entry stencil [n] (xs: [n]i32) : [n]i32 =
  tabulate n (\k -> let i = i32.i64 k
                    in if i > 0 && i < i32.i64 n - 1 then xs[i - 1] + xs[i] + xs[i + 1] else xs[i])

-- Eight bits wrap soon: -128 comes after 127.
-- ==
-- entry: wrapping
-- input { 300i64 } output { 1250i64 [44i64, 127i64, 128i64, 255i64, 0i64] }
entry wrapping (n: i64) : (i64, []i64) =
  let xs = iota 256
  let ys = tabulate n (\k -> xs[i64.i8 (i8.i64 k) + 128] - 128)
  let zs = tabulate n (\k -> xs[i64.u8 (u8.i64 k + 1)])
  in (i64.sum (map (\y -> y) ys[0:128]) - i64.sum (map i64.abs ys[128:256]) + i64.sum ys[256:300] + 432,
      map (\k -> zs[(k + 299) % 300]) [0, 127, 128, 255, 256])

-- Arithmetic that wraps before it is extended, and an index that fails its check.
-- ==
-- entry: scaled
-- input { [10, 20, 30, 40, 50, 60, 70, 80, 90] 3u8 } output { [40, 50, 60, 70, 80, 90] }
-- input { [10, 20, 30, 40, 50, 60, 70, 80, 90] 255u8 }
-- error: Index \[255\] out of bounds for array of shape \[9\]
entry scaled [n] (xs: [n]i32) (from: u8) : []i32 =
  tabulate (n - 3) (\k -> xs[i64.u8 (u8.i64 k + from)])

-- Two dimensions, both in 32 bits.
-- ==
-- entry: box
-- input { [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]] }
-- output { [[1, 2, 3, 4, 5], [6, 63, 72, 81, 10], [11, 12, 13, 14, 15]] }
entry box [n] [m] (xss: [n][m]i32) : [n][m]i32 =
  tabulate_2d n m (\a b ->
    let (i, j) = (i32.i64 a, i32.i64 b)
    in if i >= 1 && i <= i32.i64 n - 2 && j >= 1 && j <= i32.i64 m - 2
       then #[unsafe] xss[i - 1, j - 1] + xss[i - 1, j] + xss[i - 1, j + 1] + xss[i, j - 1] + xss[i, j] + xss[i, j + 1]
                      + xss[i + 1, j - 1] + xss[i + 1, j] + xss[i + 1, j + 1]
       else xss[i, j])
