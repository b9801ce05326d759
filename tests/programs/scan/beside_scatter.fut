-- SPDX-License-Identifier: Apache-2.0
-- Running counts of what a checked load says, beside values and a scatter of the same kernel: computed in
-- lanes, piece by piece, straight into the results.
-- ==
-- entry: counts
-- input { 1i64 1i64 } output { true }
-- input { 7i64 3i64 } output { true }
-- input { 1000i64 10i64 } output { true }
-- compiled input { 40000i64 1i64 } output { true }
-- compiled input { 200003i64 1000i64 } output { true }
-- ==
-- entry: bytes floats
-- input { 1i64 } output { true }
-- input { 1003i64 } output { true }
-- compiled input { 100003i64 } output { true }
-- ==
-- entry: failing
-- input { 1000i64 } error: Index \[1000\] out of bounds for array of shape \[1000\]
-- compiled input { 100003i64 } error: Index \[100003\] out of bounds

def all_equal 't [n] (eq: t -> t -> bool) (xs: [n]t) (ys: [n]t) : bool = and (map2 eq xs ys)

def keys (n: i64) : [n]i32 = map (\i -> i32.i64 (i * 7919 % 1013)) (iota n)

-- Smaller and equal elements before each point, what it was compared with, and where segments end.
entry counts (n: i64) (length: i64) : bool =
  let xs = keys n
  let begins = map (\i -> i - i % length) (iota n)
  let kind x p = if x < p then (1i64, 0i64) else if x == p then (0, 1) else (0, 0)
  let pivots = map (\b -> xs[b]) begins
  let sums = scan (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (map2 kind xs pivots)
  let ends =
    scatter (replicate n 0) (map2 (\i b -> if i == n - 1 || begins[i + 1] != b then b else -1) (iota n) begins)
            (map (+ 1) (iota n))
  let (sums2, pivots2, ends2, _) =
    loop (sums, pivots, ends, (a, b)) = (replicate n (0, 0), replicate n 0, replicate n 0, (0, 0)) for i < n do
      let p = xs[begins[i]]
      let (c, d) = kind xs[i] p
      in (sums with [i] = (a + c, b + d), pivots with [i] = p, ends with [begins[i]] = i + 1, (a + c, b + d))
  in all_equal (==) sums sums2 && all_equal (==) pivots pivots2 && all_equal (==) ends ends2

-- Two scans of different types and an output, under a branch.
entry bytes (n: i64) : bool =
  let xs = keys n
  let (a, b, c) =
    unzip3 (map2 (\i x -> if x > 500 then (u8.i32 x, i64.i32 xs[n - 1 - i], x) else (1, -3, x + 1)) (iota n) xs)
  let as = scan (+) 0 a
  let bs = scan i64.max i64.lowest b
  let (as2, bs2, _, _) =
    loop (as, bs, s, m) = (replicate n 0, replicate n 0, 0, i64.lowest) for i < n do
      let (s, m) = (s + a[i], i64.max m b[i])
      in (as with [i] = s, bs with [i] = m, s, m)
  in all_equal (==) as as2 && all_equal (==) bs bs2 && all (>= 0) c

-- Sums of floats, exact ones.
entry floats (n: i64) : bool =
  let xs = keys n
  let ys = map (\x -> if x > 500 then f64.i32 xs[i64.i32 x % n] else 0.5) xs
  let sums = scan (+) 0 ys
  in and (map (\i -> sums[i] == ys[i] + (if i == 0 then 0 else sums[i - 1])) (iota n))

entry failing (n: i64) : i64 =
  let xs = keys n
  let sums = scan (+) 0 (map (\i -> i64.i32 xs[if i == n / 2 + 3 then n else i]) (iota n))
  in sums[n - 1]
