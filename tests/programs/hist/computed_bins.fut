-- SPDX-License-Identifier: Apache-2.0
-- Bins and values that take some computing, which vectors do before the updates.  Each is compared with a loop.
-- ==
-- entry: remainder two_dimensions chosen nearest widened angles largest
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- input { 513i64 } output { true }
-- input { 3000i64 } output { true }
-- input { 40000i64 } output { true }
-- ==
-- entry: many_bins
-- input { 5000i64 3000000i64 } output { true }
-- input { 60000i64 3000000i64 } output { true }
-- ==
-- entry: rows
-- input { 3i64 100i64 } output { true }
-- input { 20i64 1i64 } output { true }
-- input { 20i64 700i64 } output { true }
-- input { 2i64 30000i64 } output { true }
-- ==
-- entry: checked
-- input { [3i64, 1i64, 0i64, 2i64] 3000i64 4i64 } output { [750, 750, 750, 750] }
-- input { [3i64, 1i64, 0i64, 2i64] 3000i64 3i64 } output { [750, 750, 0, 1500] }
-- input { [3i64, 1i64, 0i64, 2i64] 3000i64 9i64 } error: Index \[4\] out of bounds for array of shape \[4\]

def by_loop 'a (k: i64) (op: a -> a -> a) (ne: a) (n: i64) (key: i64 -> i64) (value: i64 -> a) : [k]a =
  loop dest = replicate k ne for j < n do
    let b = key j
    in if b >= 0 && b < k then dest with [b] = copy (op dest[b] (value j)) else dest

def same [k] (xs: [k]i32) (ys: [k]i32) = and (map2 (==) xs ys)

def mix (i: i64) : i32 =
  let x = u32.i64 i * 0x9E3779B9
  in i32.u32 ((x ^ (x >> 15)) * 0x85EBCA6B)

-- Divisors that are not known before; negative numbers.
entry remainder (n: i64) =
  let k = i32.i64 (n % 1000) + 37
  let key (i: i64) = i64.i32 (((mix i * 7919 + 13) >> 3) % k)
  let value i = mix i // 5
  in same (hist (+) 0 (i64.i32 k) (map key (iota n)) (map value (iota n)))
          (by_loop (i64.i32 k) (+) 0 n key value)

entry two_dimensions (n: i64) =
  let at (i: i64) = (i64.f32 (f32.i32 (mix i) / 1e8), i64.f64 (f64.i32 (mix (i + 5)) / 3e8))
  let flat p =
    let (i, j) = at p
    in if i >= 0 && i < 9 && j >= 0 && j < 5 then i * 5 + j else -1
  in same (flatten (reduce_by_index_2d (replicate 9 (replicate 5 0)) (+) 0 (map at (iota n)) (replicate n 1)))
          (by_loop (9 * 5) (+) 0 n flat (\_ -> 1))

-- Points that a filter leaves out.
entry chosen (n: i64) =
  let wanted x = (x ^ (x >> 7)) % 3 != 0
  let key x = i64.i32 ((x * 31 + 7) // 1000 % 100)
  let value x = x * x + 1
  let xs = filter wanted (map mix (iota n))
  in same (hist i32.max i32.lowest 100 (map key xs) (map value xs))
          (by_loop 100 i32.max i32.lowest n (\i -> if wanted (mix i) then key (mix i) else -1) (\i -> value (mix i)))

-- A loop of the same number of rounds for all.
entry nearest (n: i64) =
  let centres = map (\c -> f32.i64 (c * c)) (iota 13)
  let key i =
    let x = f32.i32 (mix i % 200)
    in (loop (best, d) = (0i64, f32.inf) for c < 13 do
          let e = f32.abs (x - centres[c])
          in if e < d then (c, e) else (best, d)).0
  in same (hist (+) 0 13 (map key (iota n)) (replicate n 1))
          (by_loop 13 (+) 0 n key (\_ -> 1))

-- Narrow integers, signed and unsigned, as bins.
entry widened (n: i64) =
  let a i = i8.i32 (mix i * 5 + 1)
  let b i = u8.i32 ((mix i >> 3) * 7 + 2)
  in same (hist (+) 0 200 (map (\i -> i64.i8 (a i % 11 * 3 + 7)) (iota n)) (replicate n 1))
          (by_loop 200 (+) 0 n (\i -> i64.i8 (a i % 11 * 3 + 7)) (\_ -> 1))
     && same (hist (+) 0 200 (map (\i -> i64.u8 (b i // 3 * 2 + 9)) (iota n)) (replicate n 1))
             (by_loop 200 (+) 0 n (\i -> i64.u8 (b i // 3 * 2 + 9)) (\_ -> 1))

-- Functions; not a number is bin 0.
entry angles (n: i64) =
  let key i = let x = f32.i32 (mix i % 100) in i64.f32 (f32.sqrt (x - 10) * 3 + 1)
  in same (hist (+) 0 40 (map key (iota n)) (map mix (iota n)))
          (by_loop 40 (+) 0 n key mix)

-- Two values for a bin.
entry largest (n: i64) =
  let better (a, i) (b, j) = if a > b || (a == b && i < j) then (a, i) else (b, j: i64)
  let key i = i64.i32 (mix i % 50)
  let value i = (mix (i + 1) % 1000 * 3, i)
  let (a, b) = unzip (hist better (i32.lowest, i64.highest) 50 (map key (iota n)) (map value (iota n)))
  let (c, d) =
    unzip (by_loop 50 better (i32.lowest, i64.highest) n key value)
  in same a c && and (map2 (==) b d)

-- More than caches hold: points are sorted first.
entry many_bins (n: i64) (k: i64) =
  let key i = i64.u32 (u32.i32 (mix i)) % k
  in same (hist (+) 0 k (map key (iota n)) (map (\i -> mix i % 100) (iota n)))
          (by_loop k (+) 0 n key (\i -> mix i % 100))

entry rows (n: i64) (m: i64) =
  let key x = i64.i32 ((x * 3 + 1) % 30)
  let xss = opaque (tabulate_2d n m (\i j -> mix (i * m + j)))
  let bins = map (\xs -> hist (+) 0 30 (map key xs) (replicate m 1)) xss
  in and (map2 (\xs row -> same row (by_loop 30 (+) 0 m (\j -> key xs[j]) (\_ -> 1))) xss (opaque bins))

entry checked [k] (places: [k]i64) (n: i64) (m: i64) =
  let place i = if i % k < m then places[if i + 1 == n && m > k then k else i % k] else -1
  in hist (+) 0 k (map (\i -> (place i * 3 + 12) % 12 // 3) (iota n)) (replicate n 1i32)
