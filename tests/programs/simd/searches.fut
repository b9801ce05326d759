-- SPDX-License-Identifier: Apache-2.0
-- Loops whose loads wait for each other: many of them run side by side, in lanes that end at different times.
-- ==
-- entry: places
-- input { [10i64, 20i64, 20i64, 30i64] [5i64, 10i64, 15i64, 20i64, 25i64, 30i64, 35i64] } output { [0i64, 0i64, 1i64, 1i64, 3i64, 3i64, 4i64] }
-- input { empty([0]i64) [5i64, 10i64] } output { [0i64, 0i64] }
-- input { [1i64] empty([0]i64) } output { empty([0]i64) }
-- ==
-- entry: all_places all_places_i32
-- input { 1i64 100i64 } output { true }
-- input { 37i64 1000i64 } output { true }
-- input { 1000i64 1i64 } output { true }
-- input { 4096i64 77i64 } output { true }

def place [n] (table: [n]i64) (x: i64) : i64 =
  (loop (low, high) = (0, n) while low < high do
     let middle = (low + high) / 2
     in if table[middle] < x then (middle + 1, high) else (low, middle)).0

entry places [n] [m] (table: [n]i64) (xs: [m]i64) : [m]i64 = map (place table) xs

-- The table has every third number.
entry all_places (n: i64) (m: i64) : bool =
  let table = map (3 *) (iota n)
  let right x = i64.max 0 (i64.min n ((x + 2) // 3))
  let xs = map (\i -> i * 7 % (3 * n + 5) - 2) (iota m)
  in and (map2 (\x at -> at == right x) xs (map (place table) xs))

entry all_places_i32 (n: i64) (m: i64) : bool =
  let table = map (\i -> 3 * i32.i64 i) (iota n)
  let find (x: i32) =
    (loop (low, high) = (0i32, i32.i64 n) while low < high do
       let middle = low + (high - low) / 2
       in if table[middle] < x then (middle + 1, high) else (low, middle)).0
  let xs = map (\i -> i32.i64 (i * 7 % (3 * n + 5) - 2)) (iota m)
  in and (map2 (\x at -> i64.i32 at == i64.max 0 (i64.min n ((i64.i32 x + 2) // 3))) xs (map find xs))

-- Walks along a list; the first one that leaves it fails.
-- ==
-- entry: ends
-- input { [1i64, 2i64, 3i64, 3i64] [0i64, 1i64, 2i64, 3i64] } output { [3i64, 3i64, 3i64, 3i64] }
-- input { [1i64, 2i64, 3i64, 3i64, 6i64, 4i64] [0i64, 1i64, 2i64, 3i64, 5i64, 4i64] } error: Index \[6\] out of bounds for array of shape \[6\]
-- input { [1i64, -7i64, 2i64, 3i64] [3i64, 2i64, 2i64, 3i64, 2i64, 2i64, 3i64, 3i64, 2i64, 0i64, 1i64, 2i64, 3i64, 2i64, 2i64, 2i64, 3i64, 2i64] }
-- error: Index \[-7\] out of bounds for array of shape \[4\]
entry ends [n] [m] (next: [n]i64) (xs: [m]i64) : [m]i64 =
  map (\x -> loop x while next[x] != x do next[x]) xs

-- Distances in a list, which differ much.
-- ==
-- entry: lengths
-- input { 1i64 } output { true }
-- input { 100i64 } output { true }
-- input { 1031i64 } output { true }
entry lengths (n: i64) : bool =
  let next = map (\i -> i64.max 0 (i - 1)) (iota n)
  let far = map (\x -> (loop (x, k) = (x, 0i64) while x != 0 do (next[x], k + 1)).1) (map (\i -> i * 13 % n) (iota n))
  in and (map2 (\i k -> k == i * 13 % n) (iota n) far)
