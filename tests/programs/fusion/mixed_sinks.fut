-- SPDX-License-Identifier: Apache-2.0
-- Kernels with sinks of several kinds, as fusion makes them, against the same operations one by one.
-- ==
-- entry: hist_beside_map partition_beside_reduce hist_beside_fold several_hists everything
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 100003i64 } output { true }

def numbers (n: i64) : [n]i32 = map (\i -> i32.i64 ((i * 7919 + 13) % 1009) - 500) (iota n)

def keys [n] (k: i64) (xs: [n]i32) : [n]i64 = map (\x -> i64.i32 x * 3 % k) xs

def same [n] [m] (a: [n]i32) (b: [m]i32) : bool = n == m && and (map2 (==) a (b :> [n]i32))

entry hist_beside_map (n: i64) : bool =
  let xs = opaque (numbers n)
  let is = opaque (keys 10 xs)
  let h = hist (+) 0 10 is xs
  let ys = map (* 3) xs
  let h' = opaque (hist (+) 0 10 (opaque is) (opaque xs))
  let ys' = opaque (map (* 3) (opaque xs))
  in same h h' && same ys ys'

entry partition_beside_reduce (n: i64) : bool =
  let xs = opaque (numbers n)
  let kept = filter (> 7) xs
  let total = i32.sum xs
  let (small, large) = partition (< 100) xs
  let kept' = opaque (filter (> 7) (opaque xs))
  let total' = opaque (i32.sum (opaque xs))
  let (small', large') = partition (< 100) (opaque xs)
  in same kept kept' && total == total' && same small (opaque small') && same large (opaque large')

entry hist_beside_fold (n: i64) : bool =
  let xs = opaque (numbers n)
  let is = opaque (keys 1000 xs)
  let h = hist i32.max i32.lowest 1000 is xs
  let total = i32.sum xs
  let sums = scan (+) 0 xs
  let h' = opaque (hist i32.max i32.lowest 1000 (opaque is) (opaque xs))
  let total' = opaque (i32.sum (opaque xs))
  let sums' = opaque (scan (+) 0 (opaque xs))
  in same h h' && total == total' && same sums sums'

-- Operators that no atomic instruction does, on few and on many bins.
entry several_hists (n: i64) : bool =
  let xs = opaque (numbers n)
  let is = opaque (keys 7 xs)
  let js = opaque (map (\i -> i * 31 % 70001) (iota n))
  let op (a: (i32, i32)) (b: (i32, i32)) = if a.0 >= b.0 then a else b
  let ps = map2 (\x i -> (x * 4096 + i32.i64 (i % 4096), i32.i64 i)) xs (iota n)
  let h = hist op (i32.lowest, -1) 7 is ps
  let g = hist op (i32.lowest, -1) 70001 js ps
  let c = hist (+) 0 7 is (replicate n 1i32)
  let ps' = opaque ps
  let h' = opaque (hist op (i32.lowest, -1) 7 (opaque is) ps')
  let g' = opaque (hist op (i32.lowest, -1) 70001 (opaque js) ps')
  let c' = opaque (hist (+) 0 7 (opaque is) (replicate n 1i32))
  in same (map (.0) h) (map (.0) h') && same (map (.0) g) (map (.0) g') && same c c'

entry everything (n: i64) : bool =
  let xs = opaque (numbers n)
  let is = opaque (keys 100 xs)
  let h = hist (+) 0 100 is xs
  let kept = filter (\x -> x % 3 == 0) xs
  let most = reduce i32.max i32.lowest xs
  let sums = scan (+) 0 xs
  let ys = map (\x -> x * x) xs
  let spread = scatter (replicate (n + 3) 0i32) (map (\i -> i + 2) (iota n)) xs
  let h' = opaque (hist (+) 0 100 (opaque is) (opaque xs))
  let kept' = opaque (filter (\x -> x % 3 == 0) (opaque xs))
  let most' = opaque (reduce i32.max i32.lowest (opaque xs))
  let sums' = opaque (scan (+) 0 (opaque xs))
  let ys' = opaque (map (\x -> x * x) (opaque xs))
  let spread' = opaque (scatter (replicate (n + 3) 0i32) (map (\i -> i + 2) (iota n)) (opaque xs))
  in same h h' && same kept kept' && most == most' && same sums sums' && same ys ys'
     && same spread spread'
