-- SPDX-License-Identifier: Apache-2.0
-- Nests that may run with one group of threads for each row; see groups.fut.
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
               let w = scatter (replicate m 0i32) (map (\x -> i64.i32 x % m) s) (map (\x -> x % i32.i64 m + 1) s)
               let c = i32.sum w
               let v = if c % 2 == 0 then scan (+) 0 w else map (+ c) (reverse w)
               in map2 (\x i -> if x > 10 then v[i] else s[m - 1 - i]) v (iota m))
      xss
