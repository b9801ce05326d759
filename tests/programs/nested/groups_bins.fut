-- SPDX-License-Identifier: Apache-2.0
-- Nests that may run with one group of threads for each row; see groups.fut.
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
