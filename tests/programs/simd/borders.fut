-- SPDX-License-Identifier: Apache-2.0
-- Comparisons of the index with a bound: groups on one side of it and groups that it goes through.
-- ==
-- entry: stencils
-- input { } output { true }
-- ==
-- entry: grid
-- input { [[1f32,2,3,4,5],[6,7,8,9,10],[11,12,13,14,15]] }
-- output { [[9f32,13,17,21,19],[25,35,40,45,39],[29,43,47,51,39]] }
-- ==
-- entry: both_sides
-- input { 5i64 19i64 24i64 }
-- output { [-1i32,-1,-1,-1,-1,0,1,2,3,4,5,6,7,8,9,10,11,12,13,-2,-2,-2,-2,-2] }
-- ==
-- entry: exactly
-- input { 17i64 40i64 } output { 17i64 1i64 }
-- input { -1i64 40i64 } output { -1i64 0i64 }
-- ==
-- entry: wrapping
-- input { 300i64 } output { 232i32 }
-- ==
-- entry: beyond
-- input { [1i32,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20] 19i64 } output { 209i32 }
-- input { [1i32,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20] 20i64 } error: Index \[20\] out of bounds
-- ==
-- entry: expensive
-- input { } output { true }
-- ==
-- entry: every_place
-- input { 1i64 } output { true }
-- input { 41i64 } output { true }
-- input { 300i64 } output { true }

def blur [n] (xs: [n]f32) (i: i64) : f32 =
  let l = if i == 0 then 0 else xs[i - 1]
  let r = if i == n - 1 then 0 else xs[i + 1]
  in l + 2 * xs[i] + r

def by_loop [n] 'a (zero: a) (f: i64 -> a) : [n]a =
  loop ys = replicate n zero for i < n do ys with [i] = f i

entry stencils : bool =
  loop ok = true for n < 41 do
    let xs = map (\i -> f32.i64 (i * i % 13)) (iota n)
    in ok && and (map2 (==) (map (blur xs) (iota n)) (by_loop 0 (blur xs)))

entry grid [n][m] (xs: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
    (if i > 0 then xs[i - 1, j] else 0) + (if i < n - 1 then xs[i + 1, j] else 0) +
    (if j > 0 then xs[i, j - 1] else 0) + (if j < m - 1 then xs[i, j + 1] else 0) + xs[i, j])

entry both_sides (a: i64) (b: i64) (n: i64) : []i32 =
  map (\i -> if i < a then -1 else if i >= b then -2 else i32.i64 (i - a)) (iota n)

entry exactly (k: i64) (n: i64) : (i64, i64) =
  let hits = map (\i -> if i == k then i else -1) (iota n)
  in (i64.maximum hits, i64.sum (map (\i -> i64.bool (i != -1)) hits))

-- The index as a byte starts again at 0.
entry wrapping (n: i64) : i32 =
  i32.sum (map (\i -> if u8.i64 i < 200 then 1 else 0) (iota n)) -
  i32.sum (map (\i -> if i8.i64 i < -100 then 1 else 0) (iota n)) + 16

entry beyond (xs: []i32) (n: i64) : i32 = i32.sum (map (\i -> xs[i + 1] - xs[i] + xs[i]) (iota n))

def slow [n] (xs: [n]f32) (i: i64) : i32 =
  let x = if i > 2 && i < n - 2 then xs[i - 3] + xs[i + 2] else 7
  in (loop (x, k) = (x, 0) while x > 1 do (x * 0.75, k + 1)).1

entry expensive : bool =
  loop ok = true for n < 41 do
    let xs = map (\i -> f32.i64 (i * i % 113)) (iota n)
    in ok && and (map2 (==) (map (slow xs) (iota n)) (by_loop 0 (slow xs)))

-- One iteration is different, wherever it is: as plain code, in place, and in a body with a loop.
def one_differs (n: i64) (k: i64) : bool =
  let plain = map (\i -> if i == k then 100i32 else if i != k + 3 then i32.i64 i else -7) (iota n)
  let in_place = loop a = map i32.i64 (iota n) for _r < 2 do
    map2 (\i x -> if i == k then 100 else x + i32.i64 k) (iota n) a
  let looped = map (\i -> if i == k then 100i32 else loop s = i32.i64 i for _j < 3 do s * 2 + 1) (iota n)
  let wrong = loop wrong = 0i32 for j < n do
    let x = i32.i64 j
    let p = if j == k then 100 else if j == k + 3 then -7 else x
    let q = if j == k then 100 else x + 2 * i32.i64 k
    let r = if j == k then 100 else x * 8 + 7
    in wrong + i32.bool (plain[j] != p || in_place[j] != q || looped[j] != r)
  in wrong == 0
entry every_place (n: i64) : bool = and (map (\k -> one_differs n (k - 2)) (iota (n + 3)))
