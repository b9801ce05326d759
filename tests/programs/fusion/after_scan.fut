-- SPDX-License-Identifier: Apache-2.0
-- What follows a scan or a filter in the same pass, against the same operations one by one.
-- ==
-- entry: scatter_after_scan fold_after_scan hist_after_scan filter_after_scan scan_of_filtered filters
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 100003i64 } output { true }

def numbers (n: i64) : [n]i32 = map (\i -> i32.i64 ((i * 7919 + 13) % 1009) - 500) (iota n)

def same [n] [m] (a: [n]i32) (b: [m]i32) : bool = n == m && and (map2 (==) a (b :> [n]i32))

-- A filter by hand.
entry scatter_after_scan (n: i64) : bool =
  let xs = opaque (numbers n)
  let flags = map (\x -> if x > 7 then 1i64 else 0) xs
  let places = scan (+) 0 flags
  let kept = scatter (replicate n 0i32) (map2 (\f p -> if f == 1 then p - 1 else -1) flags places) xs
  let kept' = opaque (filter (> 7) (opaque xs))
  in same (take (length kept') kept) kept'

entry fold_after_scan (n: i64) : bool =
  let xs = opaque (numbers n)
  let most = reduce i32.max i32.lowest (scan (+) 0 xs)
  let most' = opaque (reduce i32.max i32.lowest (opaque (scan (+) 0 (opaque xs))))
  in most == most'

entry hist_after_scan (n: i64) : bool =
  let xs = opaque (numbers n)
  let sums = scan (+) 0 xs
  let h = hist (+) 0 5 (map (\s -> i64.i32 s % 5) sums) xs
  let sums' = opaque (scan (+) 0 (opaque xs))
  let h' = opaque (hist (+) 0 5 (opaque (map (\s -> i64.i32 s % 5) sums')) (opaque xs))
  in same h h'

entry filter_after_scan (n: i64) : bool =
  let xs = opaque (numbers n)
  let kept = filter (> 100) (scan (+) 0 xs)
  let kept' = opaque (filter (> 100) (opaque (scan (+) 0 (opaque xs))))
  in same kept kept'

entry scan_of_filtered (n: i64) : bool =
  let xs = opaque (numbers n)
  let sums = scan (+) 0 (filter (> 7) xs)
  let halves = map (/ 2) sums
  let kept' = opaque (filter (> 7) (opaque xs))
  let sums' = opaque (scan (+) 0 kept')
  let halves' = opaque (map (/ 2) sums')
  in same sums sums' && same halves halves'

entry filters (n: i64) : bool =
  let xs = opaque (numbers n)
  let some = filter (> 7) xs
  let fewer = filter (\x -> x % 2 == 0) some
  let total = i32.sum fewer
  let table = opaque (map (\i -> i32.i64 i * 2) (iota 2000))
  -- Reading the table is possible for kept rows only.
  let looked = map (\x -> table[x]) some
  let h = hist (+) 0 3 (map (\x -> i64.i32 x % 3) fewer) fewer
  let some' = opaque (filter (> 7) (opaque xs))
  let fewer' = opaque (filter (\x -> x % 2 == 0) some')
  let looked' = opaque (map (\x -> table[x]) some')
  let h' = opaque (hist (+) 0 3 (opaque (map (\x -> i64.i32 x % 3) fewer')) fewer')
  in same fewer fewer' && total == i32.sum fewer' && same looked looked' && same h h'
