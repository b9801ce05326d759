-- SPDX-License-Identifier: Apache-2.0
-- Bodies so large that they exist once as vector code: what does not fill a group, or lies at a border,
-- is scalar code, or runs together with iterations that have run before, and must be the same.
-- ==
-- entry: plain
-- input { 0i64 } output { true }
-- input { 3i64 } output { true }
-- input { 21i64 } output { true }
-- input { 1030i64 } output { true }
-- ==
-- entry: bordered
-- input { 1i64 } output { true }
-- input { 5i64 } output { true }
-- input { 1030i64 } output { true }
-- ==
-- entry: plain_lengths bordered_lengths
-- input { 40i64 } output { true }
-- ==
-- entry: steps
-- input { 3i32 40i64 } output { true }
-- input { 4i32 40i64 } output { true }
-- ==
-- entry: checked
-- input { 1030i64 1029i64 } output { true }
-- input { 1030i64 1031i64 } error: Index \[1030\] out of bounds
-- input { 1030i64 -2i64 } error: Index \[-2\] out of bounds
def straight (x: i32) : i32 =
    let y0 = x
    let y1 = (y0 ^ (y0 >> 1)) * 3i32
    let y2 = (y1 ^ (y1 >> 2)) * 5i32
    let y3 = (y2 ^ (y2 >> 3)) * 7i32
    let y4 = (y3 ^ (y3 >> 4)) * 9i32
    let y5 = (y4 ^ (y4 >> 5)) * 11i32
    let y6 = (y5 ^ (y5 >> 6)) * 13i32
    let y7 = (y6 ^ (y6 >> 7)) * 15i32
    let y8 = (y7 ^ (y7 >> 1)) * 17i32
    let y9 = (y8 ^ (y8 >> 2)) * 19i32
    let y10 = (y9 ^ (y9 >> 3)) * 21i32
    let y11 = (y10 ^ (y10 >> 4)) * 23i32
    let y12 = (y11 ^ (y11 >> 5)) * 25i32
    let y13 = (y12 ^ (y12 >> 6)) * 27i32
    let y14 = (y13 ^ (y13 >> 7)) * 29i32
    let y15 = (y14 ^ (y14 >> 1)) * 31i32
    let y16 = (y15 ^ (y15 >> 2)) * 33i32
    let y17 = (y16 ^ (y16 >> 3)) * 35i32
    let y18 = (y17 ^ (y17 >> 4)) * 37i32
    let y19 = (y18 ^ (y18 >> 5)) * 39i32
    let y20 = (y19 ^ (y19 >> 6)) * 41i32
    let y21 = (y20 ^ (y20 >> 7)) * 43i32
    let y22 = (y21 ^ (y21 >> 1)) * 45i32
    let y23 = (y22 ^ (y22 >> 2)) * 47i32
    let y24 = (y23 ^ (y23 >> 3)) * 49i32
    let y25 = (y24 ^ (y24 >> 4)) * 51i32
    let y26 = (y25 ^ (y25 >> 5)) * 53i32
    let y27 = (y26 ^ (y26 >> 6)) * 55i32
    let y28 = (y27 ^ (y27 >> 7)) * 57i32
    let y29 = (y28 ^ (y28 >> 1)) * 59i32
    let y30 = (y29 ^ (y29 >> 2)) * 61i32
    let y31 = (y30 ^ (y30 >> 3)) * 63i32
    let y32 = (y31 ^ (y31 >> 4)) * 65i32
    let y33 = (y32 ^ (y32 >> 5)) * 67i32
    let y34 = (y33 ^ (y33 >> 6)) * 69i32
    let y35 = (y34 ^ (y34 >> 7)) * 71i32
    let y36 = (y35 ^ (y35 >> 1)) * 73i32
    let y37 = (y36 ^ (y36 >> 2)) * 75i32
    let y38 = (y37 ^ (y37 >> 3)) * 77i32
    let y39 = (y38 ^ (y38 >> 4)) * 79i32
    let y40 = (y39 ^ (y39 >> 5)) * 81i32
    in y40
def looped (x: i32) : i32 =
  loop y = x for k < 40i32 do (y ^ (y >> (k % 7 + 1))) * (2 * k + 3)

def same [n] (as: [n]i32) (bs: [n]i32) : bool = and (map2 (==) as bs)
entry plain (n: i64) : bool =
  let xs = map (\i -> i32.i64 (i * 2654435761)) (iota n)
  in same (opaque (map straight xs)) (map looped xs)
entry bordered (n: i64) : bool =
  let xs = map (\i -> i32.i64 (i * 2654435761)) (iota n)
  let at f i = f (xs[i] + (if i == 0 then 7 else xs[i - 1]) + (if i == n - 1 then 9 else xs[i + 1]))
  in same (opaque (tabulate n (at straight))) (tabulate n (at looped))
-- The last index is the given one.
entry checked (n: i64) (last: i64) : bool =
  let xs = map (\i -> i32.i64 (i * 2654435761)) (iota n)
  let is = map (\i -> if i == n - 1 then (if last == 1031 then n else last) else i) (iota n)
  in same (opaque (map (\i -> straight xs[i]) is)) (map (\i -> looped xs[i]) is)
-- All lengths, with few and many iterations left after whole groups.
entry plain_lengths (most: i64) : bool = all plain (iota most)
entry bordered_lengths (most: i64) : bool = all bordered (1...most)
-- Two buffers that change places, so that what is written in one step is read in the next.
def step [n] f (xs: [n]i32) : [n]i32 =
  tabulate n (\i -> f (xs[i] + (if i == 0 then xs[n - 1] else xs[i - 1]) + (if i == n - 1 then xs[0] else xs[i + 1])))
entry steps (count: i32) (most: i64) : bool =
  all (\n ->
         let xs = map (\i -> i32.i64 (i * 2654435761)) (iota n)
         in same (loop xs for _i < count do opaque (step straight xs)) (loop xs for _i < count do step looped xs))
      (1...most)
