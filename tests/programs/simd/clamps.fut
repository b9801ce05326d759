-- SPDX-License-Identifier: Apache-2.0
-- Indices of neighbours that stop at the ends of the array.
-- ==
-- entry: ends chosen narrow wide
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [2]i32 } auto output
-- random input { [3]i32 } auto output
-- random input { [16]i32 } auto output
-- random input { [17]i32 } auto output
-- random input { [1000]i32 } auto output
-- ==
-- entry: stencil
-- random input { [1][1]u8 } auto output
-- random input { [40][1]u8 } auto output
-- random input { [3][33]u8 } auto output
-- random input { [50][70]u8 } auto output
-- ==
-- entry: held
-- input { 5i64 40i64 } auto output
-- input { 0i64 40i64 } auto output
-- input { 39i64 40i64 } auto output
-- input { 100i64 40i64 } auto output
-- input { -1i64 40i64 } error: Index \[-1\] out of bounds
-- ==
-- entry: far
-- input { 100i64 9223372036854775807i64 } auto output
-- input { 100i64 -9223372036854775808i64 } auto output
-- input { 100i64 50i64 } auto output
-- input { 100i64 -50i64 } auto output

entry ends [n] (xs: [n]i32) : [n]i32 =
  tabulate n (\i -> xs[i64.max 0 (i - 1)] + 2 * xs[i] + 3 * xs[i64.min (n - 1) (i + 1)])

entry chosen [n] (xs: [n]i32) : [n]i32 =
  tabulate n (\i -> let before = if i - 1 < 0 then 0 else i - 1
                    let after = if i + 1 >= n then n - 1 else i + 1
                    in xs[before] + 2 * xs[i] + 3 * xs[after])

entry narrow [n] (xs: [n]i32) : [n]i32 =
  let m = i32.i64 n
  in tabulate n (\i -> let j = i32.i64 i
                       in xs[i32.max 0 (i32.min (m - 1) (j - 2))] + xs[i32.max 0 (i32.min (m - 1) (j + 2))])

-- Further away than the array is long.
entry wide [n] (xs: [n]i32) : [n]i32 =
  tabulate n (\i -> xs[i64.max 0 (i64.min (n - 1) (i - 20))] - xs[i64.max 0 (i64.min (n - 1) (i + 20))])

entry stencil [h][w] (img: [h][w]u8) : [h][w]u8 =
  let at i j = u32.u8 img[i64.max 0 (i64.min (h - 1) i), i64.max 0 (i64.min (w - 1) j)]
  in tabulate_2d h w (\i j ->
       u8.u32 ((at (i - 1) (j - 1) + at (i - 1) (j + 1) + 4 * at i j + at (i + 1) j + at i (j + 2)) / 8))

-- Most of the array is held at one element.
entry held (k: i64) (n: i64) : [n]i64 =
  let xs = opaque (map (* 3) (iota n))
  in tabulate n (\i -> xs[i64.min (n - 1) (i64.min k i)])

-- Bounds that nothing can be added to.
entry far (n: i64) (bound: i64) : [n]i64 =
  let xs = opaque (map (* 3) (iota n))
  in tabulate n (\i -> xs[i64.max 0 (i64.min (n - 1) (i64.max bound (i + 1)))] + xs[i64.max 0 (i64.min (n - 1) (i64.min bound (i - 1)))])
