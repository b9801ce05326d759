-- SPDX-License-Identifier: Apache-2.0
-- Recursive functions on so many elements that the first levels run as batches of all calls, and the rest with one
-- thread for each call: a call does more than a bounded amount of work for an element, as far as the compiler knows.
def none (k: i64) (x: i64) : i64 = i64.sum (map (\i -> i / (k + 1 + i64.abs x)) (iota k))

def keys (n: i64) : [n]i64 = map (\i -> (i * 7919 + 13) * (i + 31) % 10007) (iota n)

def checked [n] (xs: []i64) (ys: [n]i64) : (bool, i64, i64) =
  (all (\i -> ys[i] <= ys[i + 1]) (iota (i64.max 0 (n - 1))), length ys, i64.sum ys - i64.sum xs)

-- ==
-- entry: quick
-- input { 0i64 } output { true 0i64 0i64 }
-- input { 100i64 } output { true 100i64 0i64 }
-- input { 20000i64 } output { true 20000i64 0i64 }
-- compiled large input { 150000i64 } output { true 150000i64 0i64 }
def quicksort [n] (k: i64) (xs: [n]i64) : *[]i64 =
  if n <= 8
  then loop ys = copy xs for i < n do
         loop ys for j < n - 1 do
           if ys[j] > ys[j + 1] then let (a, b) = (ys[j], ys[j + 1]) in (ys with [j] = b) with [j + 1] = a else ys
  else let pivot = xs[n / 2]
       let (less, equal, greater) = partition2 (\x -> x < pivot + none k x) (== pivot) xs
       in quicksort k less ++ equal ++ quicksort k greater

entry quick (n: i64) = let xs = keys n in checked xs (quicksort (n % 2) xs)

-- ==
-- entry: uneven
-- input { 20000i64 } output { 20000i64 199990000i64 }
-- compiled large input { 70000i64 } output { 70000i64 2449965000i64 }

-- A third goes one way, the rest the other way.
def parts [n] (k: i64) (xs: [n]i64) : i64 =
  if n <= 5 then i64.sum xs
  else parts k (take (n / 3) xs) + parts k (drop (n / 3) xs) + i64.sum (map (\x -> none k x) xs)

entry uneven (n: i64) = (n, parts (n % 2) (iota n))

-- ==
-- entry: twice
-- input { 10000i64 } output { 20000i64 99990000i64 }
-- compiled large input { 40000i64 } output { 80000i64 1599960000i64 }

-- Results are larger than arguments.
def doubled [n] (k: i64) (xs: [n]i64) : []i64 =
  if n <= 3 then xs ++ xs
  else doubled k (take (n / 2) xs) ++ doubled k (map (\x -> x + none k x) (drop (n / 2) xs))

entry twice (n: i64) = let ys = doubled (n % 2) (iota n) in (length ys, i64.sum ys)
