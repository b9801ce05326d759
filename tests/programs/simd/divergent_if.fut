-- SPDX-License-Identifier: Apache-2.0
-- Lanes that take different branches, with and without work that only one side may do.
-- ==
-- entry: cheap
-- input { [1,-2,3,-4,5,0,7,-8,9,10,-11] } output { [2,5,6,11,10,-1,14,23,18,20,32] }
-- ==
-- entry: nested
-- input { [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16] }
-- output { [0,101,1002,103,4,105,1006,107,8,109,1010,111,12,113,1014,115,16] }
-- ==
-- entry: guarded_division
-- input { [10,20,30,40,50,60,70] [0,2,0,4,5,0,7] } output { [-1,10,-1,10,10,-1,10] }
-- ==
-- entry: guarded_load
-- input { [0i64,5,1,-1,2,100,3,9] [10,20,30,40] } output { [10,0,20,0,30,0,40,0] }
-- ==
-- entry: one_side_assigns
-- input { [1f32,2,3,4,5,6,7,8,9] } output { [1f32,4,3,8,5,12,7,16,9] }
-- ==
-- entry: tails
-- input { } output { true }

entry cheap (xs: []i32) = map (\x -> if x > 0 then x * 2 else -x * 3 - 1) xs

entry nested (xs: []i32) =
  map (\x -> if x % 2 == 0 then (if x % 4 == 2 then x + 1000 else x) else x + 100) xs

entry guarded_division (xs: []i32) (ys: []i32) =
  map2 (\x y -> if y == 0 then -1 else x / y) xs ys

entry guarded_load [n] (is: []i64) (xs: [n]i32) =
  map (\i -> if i >= 0 && i < n then #[unsafe] xs[i] else 0) is

entry one_side_assigns (xs: []f32) = map (\x -> if f32.i32 (i32.f32 x / 2 * 2) == x then x * 2 else x) xs

def f (i: i64) : i32 =
  let x = i32.i64 i * 7919 % 31
  in if x % 3 == 0 then x * x else if x > 15 then i32.i64 (i / 2) else -x

entry tails : bool =
  loop ok = true for n < 41 do
    let by_map = map f (iota n)
    let by_loop = loop ys = replicate n 0 for i < n do ys with [i] = f i
    in ok && and (map2 (==) by_map by_loop)
