-- SPDX-License-Identifier: Apache-2.0
-- Bins that are arrays, with an operator that looks at several of their elements; operators that may fail: locks, on devices in their memory.
def keys (n: i64) (h: i64) (apart: i64) = tabulate n (\i -> if apart == 0 then h / 2 else (i * 7919 / apart * apart) % (h + 2) - 1)

-- The larger of two rows, by their elements from left to right.
-- ==
-- entry: largest_row
-- input { 2000i64 10i64 1i64 } output { true }
-- input { 2000i64 10i64 0i64 } output { true }
-- input { 3000i64 700i64 7i64 } output { true }
-- input { 0i64 5i64 1i64 } output { true }
-- input { 100i64 0i64 1i64 } output { true }
-- compiled input { 20000i64 1000i64 1i64 } output { true }
-- compiled input { 20000i64 3i64 0i64 } output { true }
def larger [k] (a: [k]i32) (b: [k]i32) : [k]i32 =
  let (less, _) = loop (less, decided) = (false, false) for i < k do
                    if decided || a[i] == b[i] then (less, decided) else (a[i] < b[i], true)
  in map2 (\x y -> if less then y else x) a b
entry largest_row (n: i64) (h: i64) (apart: i64) : bool =
  let ks = keys n h apart
  let vs = tabulate_2d n 3 (\i j -> i32.i64 ((i * 13 + j * 7) % 11))
  let none = replicate 3 i32.lowest
  let got = reduce_by_index (replicate h none) larger none ks vs
  let expected = loop acc = replicate h none for i < n do
                   if ks[i] < 0 || ks[i] >= h then acc
                   else let row = copy (larger acc[ks[i]] vs[i]) in acc with [ks[i]] = row
  in and (map2 (\a b -> and (map2 (==) a b)) got expected)

-- Sums; what is negative is not added, but divides by zero, whichever side it is on.
def add_positive (a: i32) (b: i32) : i32 =
  let d = (i32.min 1 (i32.max (-1) a + 1)) * (i32.min 1 (i32.max (-1) b + 1))
  in (a + b) / d
-- ==
-- entry: may_fail
-- input { 1000i64 3i64 1i64 1000i64 } output { [333i32, 333i32, 334i32] }
-- input { 1000i64 3i64 0i64 1000i64 } output { [0i32, 1000i32, 0i32] }
-- input { 1000i64 3i64 1i64 700i64 } error: division by zero
-- input { 1000i64 3i64 0i64 999i64 } error: division by zero
-- input { 0i64 3i64 0i64 0i64 } output { [0i32, 0i32, 0i32] }
-- input { 50i64 0i64 0i64 3i64 } output { empty([0]i32) }
-- compiled input { 100000i64 3i64 0i64 100000i64 } output { [0i32, 100000i32, 0i32] }
-- compiled input { 100000i64 3i64 0i64 99999i64 } error: division by zero
entry may_fail (n: i64) (h: i64) (apart: i64) (poison: i64) : [h]i32 =
  hist add_positive 0 h (if apart == 0 then replicate n 1 else map (\i -> (i + 2) % i64.max 1 h) (iota n)) (map (\i -> if i == poison then -1 else 1) (iota n))
-- The point that divides by zero lies outside all bins, so nothing happens.
-- ==
-- entry: outside_fails
-- input { 1000i64 } output { [500i32] }
-- compiled input { 100000i64 } output { [50000i32] }
entry outside_fails (n: i64) : [1]i32 =
  hist add_positive 0 1 (map (% 2) (iota n)) (map (\i -> if i % 2 == 1 then -1 else 1) (iota n))
