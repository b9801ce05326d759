-- SPDX-License-Identifier: Apache-2.0
-- Members that are chosen by code with checks, branches, loops and functions; the first failure is the one that is told.
-- ==
-- entry: lookup
-- input { [3, -1, 4] empty([0]i64) } output { empty([0]i64) }
-- input { [3, -1, 4] [1i64] } output { empty([0]i64) }
-- input { [3, -1, 4] [0i64, 2i64, 1i64] } output { [0i64, 2i64] }
-- input { [3, -1, 4] [0i64, 2i64, 3i64, 1i64, -5i64] } error: Index \[3\] out of bounds
-- ==
-- entry: lookup_many
-- input { 1000i64 1000i64 } output { true }
-- input { 100001i64 100001i64 } output { true }
-- input { 1000i64 777i64 } error: Index \[777\] out of bounds
-- input { 100001i64 99990i64 } error: Index \[99990\] out of bounds
-- ==
-- entry: divided
-- input { [6i32, 3i32, 2i32, 5i32, 1i32] } output { [6i32, 3i32, 2i32, 1i32] }
-- input { [6i32, 3i32, 0i32, 5i32, 1i32] } error: ivision by zero
-- ==
-- entry: branches
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 67i64 } output { true }
-- input { 70001i64 } output { true }
-- ==
-- entry: steps
-- input { 100i64 } output { true }
-- input { 5003i64 } output { true }
-- ==
-- entry: functions
-- input { 1003i64 } output { true }

def in_turn [n] 't (keep: t -> bool) (other: t) (xs: [n]t) : (i64, [n]t) =
  loop (k, out) = (0, replicate n other) for x in xs do
    if keep x then (k + 1, out with [k] = x) else (k, out)

def equals [n] [m] 't (eq: t -> t -> bool) (xs: [n]t) (k: i64) (ys: [m]t) : bool =
  n == k && all (\i -> eq xs[i] ys[i]) (iota k)

def check [n] 't (eq: t -> t -> bool) (other: t) (keep: t -> bool) (xs: [n]t) : bool =
  let (k, ys) = in_turn keep other xs
  in equals eq (filter keep xs) k ys

entry lookup (table: []i32) (is: []i64) : []i64 = filter (\i -> table[i] > 0) is

entry lookup_many (n: i64) (m: i64) : bool =
  let table = map (\i -> i32.i64 (i * 7919 % 31)) (iota m)
  in check (==) 0 (\i -> table[i] > 9) (iota n)

entry divided (xs: []i32) : []i32 = filter (\x -> 6 % x == 0) xs

entry branches (n: i64) : bool =
  let keep (x: i32) = if x % 3 == 0 then x % 5 < 2 else if x % 7 < 3 then x / (x % 3) > 11 else false
  in check (==) 0 keep (map (\i -> i32.i64 (i * 7919 % 101)) (iota n))

entry steps (n: i64) : bool =
  let collatz (x: i32) = (loop (x, k) = (x, 0i32) while x > 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, k + 1)).1
  in check (==) 0 (\x -> collatz x % 2 == 0) (map i32.i64 (iota n))

entry functions (n: i64) : bool =
  let xs = map (\i -> f32.i64 i * 0.1) (iota n)
  let kept = filter (\x -> f32.sin x > 0.25 || f32.sqrt x < 3) xs
  let marks = map (\x -> f32.sin x > 0.25 || f32.sqrt x < 3) xs
  in length kept == i64.sum (map i64.bool marks) && all (\x -> f32.sin x > 0.25 || f32.sqrt x < 3) kept
     && all (\i -> kept[i] < kept[i + 1]) (iota (i64.max 0 (length kept - 1)))
