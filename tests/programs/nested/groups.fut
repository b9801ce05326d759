-- SPDX-License-Identifier: Apache-2.0
-- Nests whose inner code stores arrays between its parallel parts: on a device they may run with one
-- group of threads for each row.  The attribute makes the choice independent of sizes.
-- ==
-- entry: normalise
-- random input { [40][100]f32 } auto output
-- random input { [3][1000]f32 } auto output
-- random input { [2][0]f32 } auto output
-- random input { [0][5]f32 } auto output
entry normalise [n][m] (xss: [n][m]f32): [n][m]f32 =
  #[flattening(only_intra)]
  map (\row -> let t = f32.sqrt (f32.sum row + 1)
               let ys = map (/ t) row
               let zs = scan (+) 0 ys
               in map2 (+) zs (reverse ys))
      xss

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

-- ==
-- entry: sums
-- random input { [40][64]i32 } auto output
entry sums [n][m] (xss: [n][m]i32): i32 =
  i32.sum (map (\row -> let s = scan (+) 0 row in i32.maximum (map2 (*) s (reverse row))) xss)

-- Bins of a group, updated by all its threads; operators on several values need locks.
-- ==
-- entry: bins
-- random input { [7][64]i32 } auto output
-- random input { [7][1000]i32 } auto output
entry bins [n][m] (xss: [n][m]i32): ([n][16]i32, [n][16]i64, [n][16]i16) =
  unzip3 (map (\(row: [m]i32) ->
    let s = scan (+) 0 row
    let is = map (\x -> i64.i32 (x & 15)) s
    let h = hist (+) 0 16 is row
    let (g, _) = unzip (hist (\(a: i64, b: i32) (c, d) -> if b < d || (b == d && a < c) then (c, d) else (a, b))
                             (-1, -1) 16 is (zip (iota m) (map (\x -> x & 1023) row)))
    let f = hist (+) 0i16 16 is (map i16.i32 row)
    in (scan (+) 0 h, g, scan i16.max 0 f)) xss)

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

-- An operator on pairs that does not commute: x -> a * x + b.
-- ==
-- entry: recurrences
-- random input { [6][77]i32 [6][77]i32 } auto output
entry recurrences [n][m] (ass: [n][m]i32) (bss: [n][m]i32): ([n][m]i32, [n]i32) =
  unzip (map2 (\as bs ->
    let (_, ys) = unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip as bs))
    let (_, last) = reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip ys as)
    let zs = map2 (\y z -> y + last * z) ys (rotate 1 ys)
    in (zs, i32.sum (map (% 1000) zs))) ass bss)

-- Scatters, branches that are the same for all threads of a group, and ones that are not.
-- ==
-- entry: writes
-- random input { [9][40]i32 } auto output
entry writes [n][m] (xss: [n][m]i32): [n][m]i32 =
  map (\row -> let s = scan (+) 0 (map (& 3) row)
               let w = scatter (replicate m 0i32) (map (\x -> i64.i32 x % m) s) (indices s |> map i32.i64)
               let c = i32.sum w
               let v = if c % 2 == 0 then scan (+) 0 w else map (+ c) (reverse w)
               in map2 (\x i -> if x > 10 then v[i] else s[m - 1 - i]) v (iota m))
      xss

-- What fails is what would fail first in order.
-- ==
-- entry: fails
-- input { [[0,1,2],[0,5,6],[9,9,9]] } error: Index \[5\] out of bounds
-- input { [[0,0,0],[0,0,1]] } output { [[0,0,0],[0,0,1]] }
entry fails [n][m] (xss: [n][m]i32): [n][m]i32 =
  #[flattening(only_intra)]
  map (\row -> let s = scan (+) 0 row
               let t = map (\i -> row[i]) row
               in map2 (\a b -> a + b) s (reverse t)) xss

-- A check of the group as a whole.
-- ==
-- entry: fails_together
-- random input { 2i64 [4][64]i32 } auto output
-- input { 3i64 [[0,1],[2,3]] } error: Index \[3\] out of bounds
entry fails_together [n][m] (k: i64) (xss: [n][m]i32): [n][m]i32 =
  #[flattening(only_intra)]
  map (\row -> let s = scan (+) 0 row
               let t = s[k]
               let u = map (+ t) (reverse s)
               in scan (+) 0 u) xss
