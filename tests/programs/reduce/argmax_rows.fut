-- SPDX-License-Identifier: Apache-2.0
-- Operators that choose between tuples, along rows of all lengths.
-- ==
-- entry: largest
-- random input { [7][0]i32 } auto output
-- random input { [100][1]i32 } auto output
-- random input { [1000][3]i32 } auto output
-- random input { [1003][10]i32 } auto output
-- random input { [50][64]i32 } auto output
-- random input { [3][5000]i32 } auto output
entry largest [n] [m] (xss: [n][m]i32) =
  map (\xs ->
         reduce_comm (\(a, i) (b, j) -> if b > a || (b == a && j < i) then (b, j) else (a, i))
                     (i32.lowest, i64.highest) (zip xs (iota m)))
      xss
  |> unzip

-- ==
-- entry: first
-- random input { [1003][10]u8 } auto output
-- random input { [20][1000]u8 } auto output
entry first [n] [m] (xss: [n][m]u8) =
  map (\xs ->
         reduce (\(f, a, i) (g, b, j) -> if f then (f, a, i) else (g, b, j)) (false, 0, -1)
                (map2 (\x i -> (x % 7 == 3, x, i)) xs (iota m)))
      xss
  |> unzip3
