-- SPDX-License-Identifier: Apache-2.0
-- Loops that fill arrays: in any order where rounds do not depend on each other, one after the other where they do.

-- ==
-- entry: squares
-- input { empty([0]i32) } output { empty([0]i32) empty([0][3]i32) }
-- input { [1i32, -2i32, 3i32] } output { [1i32, 4i32, 9i32] [[1i32, 1i32, 1i32], [4i32, 4i32, 4i32], [9i32, 9i32, 9i32]] }
entry squares [n] (xs: [n]i32) : ([n]i32, [n][3]i32) =
  loop (p, q) = (replicate n 0, replicate n (replicate 3 0)) for i < n do
    let y = xs[i] * xs[i]
    in (p with [i] = y, q with [i] = replicate 3 y)

-- The row above, by its number: a check can fail, and the first one counts.
-- ==
-- entry: gathered
-- input { [2i64, 0i64, 1i64] [5i32, 6i32, 7i32] } output { [7i32, 5i32, 6i32] }
-- input { [2i64, 9i64, 8i64] [5i32, 6i32, 7i32] } error: Index \[9\] out of bounds
entry gathered [n] [m] (is: [n]i64) (xs: [m]i32) : [n]i32 =
  loop p = replicate n 0 for i < n do p with [i] = xs[is[i]]

-- ==
-- entry: triangle
-- input { 4i64 } output { [[1i64, 0i64, 0i64, 0i64], [1i64, 1i64, 0i64, 0i64], [1i64, 2i64, 1i64, 0i64], [1i64, 3i64, 3i64, 1i64]] }
entry triangle (n: i64) : [n][n]i64 =
  loop t = replicate n (replicate n 0) for i < n do
    t with [i] = tabulate n (\j -> if i == 0 || j == 0 then (if j == 0 then 1 else 0) else t[i - 1, j] + t[i - 1, j - 1])

-- Operators written as loops.
-- ==
-- entry: vector_sums
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] } output { [9i32, 12i32] [[1i32, 2i32], [4i32, 6i32], [9i32, 12i32]] }
entry vector_sums [n] [m] (xss: [n][m]i32) : ([m]i32, [n][m]i32) =
  let add (xs: [m]i32) (ys: [m]i32) : [m]i32 = loop zs = replicate m 0 for i < m do zs with [i] = xs[i] + ys[i]
  in (reduce add (replicate m 0) xss, scan add (replicate m 0) xss)

-- Only the first half is written, and what is written is read again.
-- ==
-- entry: half
-- input { [1i32, 2i32, 3i32, 4i32] } output { [2i32, 3i32, 3i32, 4i32] }
entry half [n] (xs: [n]i32) : [n]i32 =
  loop ys = copy xs for i < n / 2 do ys with [i] = ys[i] + 1
