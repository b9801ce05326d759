-- SPDX-License-Identifier: Apache-2.0
-- Nests that may run with one group of threads for each row; see groups.fut.
-- Matrices inside: grids, reductions of their rows, and what follows.
-- ==
-- entry: grids
-- random input { [5][12][20]i32 } auto output
-- random input { [5][300][3]i32 } auto output
entry grids [n][k][m] (xsss: [n][k][m]i32): [n][k][m]i32 =
  map (\xss -> let ss = map i32.sum xss
               let t = scan (+) 0 ss
               let cs = map i32.maximum (transpose xss)
               in map2 (\xs s -> map2 (\x c -> x - s * c) xs cs) xss t)
      xsss

-- Two outer levels.
-- ==
-- entry: levels
-- random input { [3][4][50]i32 } auto output
entry levels [n][k][m] (xsss: [n][k][m]i32): [n][k][m]i32 =
  map (map (\xs -> let s = scan (+) 0 xs
                   let c = i32.maximum s
                   in map (\x -> x - c) (reverse s)))
      xsss
