-- SPDX-License-Identifier: Apache-2.0
-- Loops that have nothing more to do once a condition is false, and loads in which some lanes no
-- longer take part.
-- ==
-- entry: search
-- input { "abracadabra, abracadabra abra" "abra" } output { 5i64 }
-- input { "abracadabra, abracadabra abra" "" } output { 30i64 }
-- input { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" "aaaaaaaaaaaaaaaaa" } output { 24i64 }
-- input { "abc" "abcd" } output { 0i64 }
-- ==
-- entry: prefixes
-- input { [[1i32,2,3,4],[1,2,3,9],[9,2,3,4],[1,9,3,4],[1,2,9,9]] [1i32,2,3,4] } output { [4i64,3,0,1,2] }
-- ==
-- entry: both_ends
-- input { [3i64,0,5,2,9] } output { [3i64,0,5,2,7] }
-- ==
-- entry: not_quiet
-- input { [1i32,2,3,4,5,6,7,8,9] 5i32 } output { [6i32,7,8,8,8,8,8,9,10] }
-- ==
-- entry: counted_after
-- input { [1i32,2,3,4,5,6,7,8,9] } output { [19i32,20,20,21,21,22,22,23,23] }
-- ==
-- entry: outside
-- input { [1i32,0,1,0,1,1,0,0,1,0,1] 1000i64 } output { [true,false,true,false,true,true,false,false,true,false,true] }
-- ==
-- entry: ends_of_pages
-- compiled input { 135168i64 } output { 0i64 }
def matches [n] [m] (text: [n]u8) (pattern: [m]u8) (i: i64) : bool =
  loop ok = true for j < m do ok && text[i + j] == pattern[j]
entry search [n] [m] (text: [n]u8) (pattern: [m]u8) : i64 =
  if m > n then 0 else i64.sum (map (\i -> i64.bool (matches text pattern i)) (iota (n - m + 1)))
-- Two things change while the condition holds.
entry prefixes [n] [m] (rows: [n][m]i32) (p: [m]i32) : [n]i64 =
  map (\row -> (loop (ok, k) = (true, 0) for j < m do
                  if ok then (if row[j] == p[j] then (true, k + 1) else (false, k)) else (ok, k)).1) rows
-- The number of rounds differs as well.
entry both_ends [n] (ns: [n]i64) : [n]i64 =
  map (\m -> (loop (ok, k) = (true, 0) for j < m do if ok then (j < 6, k + 1) else (ok, k)).1) ns
-- Something happens although the condition is false.
entry not_quiet [n] (xs: [n]i32) (m: i32) : [n]i32 =
  map (\x -> (loop (ok, k) = (true, x) for j < m do
                if ok then (k < 7, k + 1) else (k == 99, k)).1) xs
entry counted_after [n] (xs: [n]i32) : [n]i32 =
  map (\x -> (loop (ok, k) = (true, x) for _j < 20i32 do
                if ok then (k < 15, k + 2) else (ok, k + 1)).1
             |> \k -> if k > 20 then k - 10 else k) xs
-- The condition is the same for all lanes.
entry outside [n] (xs: [n]i32) (m: i64) : [n]bool =
  map (\x -> loop ok = x == 1 for j < m do ok && j < m + i64.i32 x) xs
-- Arrays of many sizes, of which lanes read the end while others do not.
entry ends_of_pages (n: i64) : i64 =
  loop bad = 0i64 for k < 20 do
    let m = n - 8 * k
    let xs = map (\i -> u8.i64 (i % 3)) (iota m)
    let counts = map (\i -> (loop (ok, c) = (true, 0i32) for j < 4 do
                               if ok then (if i + j < m && xs[i + j] != 2 then (true, c + 1) else (false, c))
                               else (ok, c)).1) (iota m)
    let expected i = if i % 3 == 2 then 0 else i32.i64 (i64.min (2 - i % 3) (m - i))
    in bad + i64.sum (map (\i -> i64.bool (counts[i] != expected i)) (iota m))
