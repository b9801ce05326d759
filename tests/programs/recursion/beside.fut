-- SPDX-License-Identifier: Apache-2.0
-- Calls of a recursive function that do not need each other, on enough elements that they run side
-- by side in a thread.

def input (n: i64) : [n]i32 =
  map (\i -> i32.u64 ((u64.i64 i * 6364136223846793005 + 1442695040888963407) >> 40)) (iota n)

def sorts [n] (xs: [n]i32) (sort: [n]i32 -> [n]i32) : (bool, bool) =
  let ys = sort xs
  let rising = all (\i -> ys[i] <= ys[i + 1]) (iota (n - 1))
  in (rising, i64.sum (map i64.i32 xs) == i64.sum (map i64.i32 ys))

def quicksort [n] (xs: [n]i32) : *[]i32 =
  if n <= 1 then copy xs
  else let p = xs[n / 2]
       let (less, equal, greater) = partition2 (< p) (== p) xs
       in quicksort less ++ equal ++ quicksort greater

-- ==
-- entry: quick
-- input { 0i64 } output { true true }
-- input { 1i64 } output { true true }
-- input { 3000i64 } output { true true }
-- input { 60000i64 } output { true true }
entry quick (n: i64) : (bool, bool) =
  if n < 2 then (true, true) else sorts (input n) (\xs -> quicksort xs :> [n]i32)

-- Slices of one array, and two results.
def minmax [n] (xs: [n]i32) : (i32, i32) =
  if n <= 8
  then (reduce i32.min i32.highest xs, reduce i32.max i32.lowest xs)
  else let (a, b) = minmax xs[:n / 2]
       let (c, d) = minmax xs[n / 2:]
       in (i32.min a c, i32.max b d)

-- ==
-- entry: extremes
-- input { 100000i64 } output { true }
entry extremes (n: i64) : bool =
  let xs = input n
  let (a, b) = minmax xs
  in a == i32.minimum xs && b == i32.maximum xs

-- Three calls in a row, results of different sizes.
def thirds [n] (xs: [n]i32) : *[]i32 =
  if n < 3 then filter (\x -> x % 2 == 0) xs
  else let k = n / 3
       in thirds xs[:k] ++ thirds xs[k:2 * k] ++ thirds xs[2 * k:]

-- ==
-- entry: even
-- input { 20000i64 } output { true }
entry even (n: i64) : bool =
  let xs = input n
  let a = thirds xs
  let b = filter (\x -> x % 2 == 0) xs
  in length a == length b && all (\i -> a[i] == b[i]) (indices a)

-- The failure of the first call is the one that is reported.
def fails [n] (depth: i64) (at: i64) (xs: [n]i32) : i32 =
  if depth == 0
  then xs[at + i64.i32 xs[0]]
  else let k = n / 2
       let a = fails (depth - 1) at xs[:k]
       let b = fails (depth - 1) at xs[k:]
       in i32.max a b + reduce i32.min i32.highest xs

-- ==
-- entry: first_failure
-- input { 65536i64 2i64 0i64 } output { 5i32 }
-- input { 65536i64 2i64 16385i64 } error: Index \[16385\]
-- input { 65536i64 2i64 16382i64 } error: Index \[16384\]
entry first_failure (n: i64) (depth: i64) (at: i64) : i32 =
  fails depth at (map (\i -> i32.i64 (i / (n / 4))) (iota n))
