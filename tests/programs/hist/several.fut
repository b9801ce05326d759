-- SPDX-License-Identifier: Apache-2.0
-- Several histograms of the same points, outputs and scatters beside them: one kernel, each compared with a loop.
-- ==
-- entry: statistics different_bins beside scattered
-- input { 0i64 10i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 1000i64 7i64 } output { true }
-- input { 30000i64 0i64 } output { true }
-- input { 30000i64 100i64 } output { true }
-- input { 30000i64 25000i64 } output { true }
-- compiled input { 60000i64 3000000i64 } output { true }
-- ==
-- entry: means
-- input { 3000i64 5i64 } output { true }
-- compiled input { 100000i64 16i64 } output { true }
-- compiled input { 100000i64 60000i64 } output { true }
-- ==
-- entry: rows
-- input { 3i64 100i64 } output { true }
-- input { 30i64 70i64 } output { true }
-- ==
-- entry: vectors
-- input { 100i64 3i64 } output { true }
-- input { 3000i64 9i64 } output { true }
-- ==
-- entry: chosen
-- input { 2000i64 9i64 } output { true }
-- compiled input { 50000i64 900i64 } output { true }
-- ==
-- entry: checked
-- input { [0i64, 1i64, 2i64, 1i64] [5, 6, 7] } output { [1, 2, 1] [5, 12, 7] }
-- input { [0i64, 1i64, 3i64, 9i64] [5, 6, 7] } error: Index \[3\] out of bounds

def by_loop 'a (k: i64) (op: a -> a -> a) (ne: a) (n: i64) (key: i64 -> i64) (value: i64 -> a) : [k]a =
  loop dest = replicate k ne for j < n do
    let b = key j
    in if b >= 0 && b < k then dest with [b] = copy (op dest[b] (value j)) else dest

def same [k] (xs: [k]i32) (ys: [k]i32) = and (map2 (==) xs ys)

def mix (i: i64) : i32 =
  let x = u32.i64 i * 0x9E3779B9
  in i32.u32 ((x ^ (x >> 15)) * 0x85EBCA6B)

def key (k: i64) (i: i64) : i64 = i64.i32 (mix i) % (k + 3) - 1

-- Count, sum and maximum of each group.
entry statistics (n: i64) (k: i64) =
  let is = map (key k) (iota n)
  let xs = map (\i -> mix (i + 9)) (iota n)
  let count = hist (+) 0 k is (replicate n 1)
  let sum = hist (+) 0 k is xs
  let most = hist i32.max i32.lowest k is xs
  in same count (by_loop k (+) 0 n (key k) (\_ -> 1))
     && same sum (by_loop k (+) 0 n (key k) (\i -> mix (i + 9)))
     && same most (by_loop k i32.max i32.lowest n (key k) (\i -> mix (i + 9)))

-- One in two dimensions, and both its margins; bins of different sizes.
entry different_bins (n: i64) (k: i64) =
  let at i = (i64.i32 (mix i % 7), key k i)
  let (is, js) = unzip (map at (iota n))
  let both = reduce_by_index_2d (replicate 5 (replicate k 0i8)) (+) 0 (zip is js) (replicate n 1i8)
  let left = hist (^) 0 5 is (map mix (iota n))
  let right = hist (+) 0 k js (map (\i -> i64.i32 (mix i)) (iota n))
  let flat i = let (a, b) = at i in if a >= 0 && a < 5 && b >= 0 && b < k then a * k + b else -1
  in and (map2 (==) (flatten both) (by_loop (5 * k) (+) 0i8 n flat (\_ -> 1)))
     && same left (by_loop 5 (^) 0 n (\i -> (at i).0) mix)
     && and (map2 (==) right (by_loop k (+) 0 n (\i -> (at i).1) (\i -> i64.i32 (mix i))))

-- What was computed for the histograms is a result too.
entry beside (n: i64) (k: i64) =
  let xs = map (\i -> mix i % 1000 * 3) (iota n)
  let is = map (\i -> key k (i + 1)) (iota n)
  let a = hist (+) 0 k is xs
  let b = hist i32.min i32.highest k is xs
  in same (opaque xs) (map (\i -> mix i % 1000 * 3) (iota n))
     && same a (by_loop k (+) 0 n (\i -> key k (i + 1)) (\i -> mix i % 1000 * 3))
     && same b (by_loop k i32.min i32.highest n (\i -> key k (i + 1)) (\i -> mix i % 1000 * 3))

entry scattered (n: i64) (k: i64) =
  let xs = map (\i -> mix i % 1000 * 3) (iota n)
  let a = hist (+) 0 k (map (key k) (iota n)) xs
  let b = scatter (replicate (n / 2) 0) (map (\i -> n - i - 1 - n / 4) (iota n)) xs
  in same a (by_loop k (+) 0 n (key k) (\i -> mix i % 1000 * 3))
     && same b (by_loop (n / 2) (\_ x -> x) 0 n (\i -> n - i - 1 - n / 4) (\i -> mix i % 1000 * 3))

-- Small whole numbers: floats add up to the same in any order.
entry means (n: i64) (k: i64) =
  let is = map (key k) (iota n)
  let ws = map (\i -> f32.i32 (mix i % 4)) (iota n)
  let sums = hist (+) 0 k is (map (\w -> w * 3) ws)
  let weights = hist (+) 0 k is ws
  let count = hist (+) 0 k is (replicate n 1)
  in and (map2 (==) sums (by_loop k (+) 0 n (key k) (\i -> f32.i32 (mix i % 4) * 3)))
     && and (map2 (==) weights (by_loop k (+) 0 n (key k) (\i -> f32.i32 (mix i % 4))))
     && same count (by_loop k (+) 0 n (key k) (\_ -> 1))

entry rows (n: i64) (m: i64) =
  let xss = opaque (tabulate_2d n m (\i j -> mix (i * m + j)))
  let bin (x: i32) = i64.i32 (x * 3 % 30)
  let (a, b) =
    unzip (map (\xs -> (hist (+) 0 30 (map bin xs) (replicate m 1), hist i32.max 0 30 (map bin xs) xs)) xss)
  in and (map3 (\xs r s ->
                  same r (by_loop 30 (+) 0 m (\j -> bin xs[j]) (\_ -> 1))
                  && same s (by_loop 30 i32.max 0 m (\j -> bin xs[j]) (\j -> xs[j])))
               xss
               (opaque a)
               (opaque b))

-- Operators on rows.
entry vectors (n: i64) (k: i64) =
  let xss = opaque (tabulate_2d n 20 (\i j -> mix (i * 20 + j) % 100))
  let is = map (key k) (iota n)
  let a = hist (map2 (+)) (replicate 20 0) k is xss
  let b = hist (map2 i32.max) (replicate 20 0) k is (map (map (* 2)) xss)
  in and (map2 same (transpose a) (map (\j -> by_loop k (+) 0 n (key k) (\i -> xss[i, j])) (iota 20)))
     && and (map2 same (transpose b) (map (\j -> by_loop k i32.max 0 n (key k) (\i -> 2 * xss[i, j])) (iota 20)))

entry chosen (n: i64) (k: i64) =
  let few = filter (\i -> mix i % 3 != 0) (iota n)
  let a = hist (+) 0 k (map (key k) few) (map mix few)
  let b = hist (+) 0 k (map (\i -> key k (i + 1)) few) (map (\_ -> 1) few)
  let unless f i = if mix i % 3 != 0 then f i else -1
  in same a (by_loop k (+) 0 n (unless (key k)) mix)
     && same b (by_loop k (+) 0 n (unless (\i -> key k (i + 1))) (\_ -> 1))

entry checked [k] (is: []i64) (xs: [k]i32) =
  let ys = map (\i -> xs[i]) is
  in (hist (+) 0 k is (map (\_ -> 1i32) ys), hist (+) 0 k is ys)
