-- SPDX-License-Identifier: Apache-2.0
-- Nests that may run with one group of threads for each row; see groups.fut.
-- The arrays of a loop are replaced in every round; they begin as rows of the input.
-- ==
-- entry: rounds
-- random input { [7][64]i32 } auto output
-- random input { [3][300]i32 } auto output
entry rounds [n][m] (xss: [n][m]i32): [n][m]i32 =
  map (\(row: [m]i32) ->
         loop (r: [m]i32) = row for i < 5 do
           let s = i32.sum r
           in map (\j -> r[(j + 1 + i) % m] + s % 7) (iota m))
      xss

-- A loop with a condition, and two arrays that change places.
-- ==
-- entry: swaps
-- random input { [7][64]i32 } auto output
entry swaps [n][m] (xss: [n][m]i32): [n][m]i32 =
  map (\(row: [m]i32) ->
         let (a, _, _) =
           loop (a: [m]i32, b: [m]i32, k) = (row, map (* 3) row, 0) while k < 4 do
             (map2 (+) (reverse b) (map (% 5) a), a, k + 1 + (i32.sum a & 1))
         in a)
      xss
