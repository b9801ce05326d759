-- SPDX-License-Identifier: Apache-2.0
-- Scans by operators that are several instructions, which lanes do for each other: segments given by flags, of all
-- kinds of elements, lengths around whole groups of lanes, and what comes before and after the scan.

def segmented [n] 't (op: t -> t -> t) (ne: t) (fs: [n]bool) (xs: [n]t) : [n]t =
  let r = scan (\(f, x) (g, y) -> (f || g, if g then y else op x y)) (false, ne) (zip fs xs)
  in map (.1) r

def slow [n] 't (op: t -> t -> t) (ne: t) (fs: [n]bool) (xs: [n]t) : [n]t =
  (loop (ys, s) = (replicate n ne, ne) for i < n do
     let s = if fs[i] then xs[i] else op s xs[i]
     in (ys with [i] = s, s)).0

def flags (n: i64) : [n]bool = map (\i -> i * i % 13 == 3 || i % 1000 == 999) (iota n)

-- ==
-- entry: i8s u8s i16s i32s i64s f32s f64s most least products pairs
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- input { 8i64 } output { true }
-- input { 33i64 } output { true }
-- input { 1000i64 } output { true }
-- compiled input { 100003i64 } output { true }
entry i8s (n: i64) = let xs = map (\i -> i8.i64 (i * 7)) (iota n)
  in and (map2 (==) (segmented (+) 0 (flags n) xs) (slow (+) 0 (flags n) xs))
entry u8s (n: i64) = let xs = map (\i -> u8.i64 (i * 7)) (iota n)
  in and (map2 (==) (segmented (+) 0 (flags n) xs) (slow (+) 0 (flags n) xs))
entry i16s (n: i64) = let xs = map (\i -> i16.i64 (i * 777)) (iota n)
  in and (map2 (==) (segmented (+) 0 (flags n) xs) (slow (+) 0 (flags n) xs))
entry i32s (n: i64) = let xs = map (\i -> i32.i64 (i * 777)) (iota n)
  in and (map2 (==) (segmented (+) 0 (flags n) xs) (slow (+) 0 (flags n) xs))
entry i64s (n: i64) = let xs = map (\i -> i * 777 - 1) (iota n)
  in and (map2 (==) (segmented (+) 0 (flags n) xs) (slow (+) 0 (flags n) xs))
entry f32s (n: i64) = let xs = map (\i -> f32.i64 (i % 17) - 8) (iota n)
  in and (map2 (==) (segmented (+) 0 (flags n) xs) (slow (+) 0 (flags n) xs))
entry f64s (n: i64) = let xs = map (\i -> f64.i64 (i % 19) * 0.5) (iota n)
  in and (map2 (==) (segmented (+) 0 (flags n) xs) (slow (+) 0 (flags n) xs))
entry most (n: i64) = let xs = map (\i -> f32.i64 (i * 7919 % 1009)) (iota n)
  in and (map2 (==) (segmented f32.max (-f32.inf) (flags n) xs) (slow f32.max (-f32.inf) (flags n) xs))
entry least (n: i64) = let xs = map (\i -> i16.i64 (i * 7919 % 1009)) (iota n)
  in and (map2 (==) (segmented i16.min i16.highest (flags n) xs) (slow i16.min i16.highest (flags n) xs))
entry products (n: i64) = let xs = map (\i -> u32.i64 (i * 2 + 3)) (iota n)
  in and (map2 (==) (segmented (*) 1 (flags n) xs) (slow (*) 1 (flags n) xs))
entry pairs (n: i64) = let xs = map (\i -> (i32.i64 i, f64.i64 (i * 31 % 101))) (iota n)
  let op (a, b) (c, d) : (i32, f64) = (a + c, f64.max b d)
  in and (map2 (==) (segmented op (0, -f64.inf) (flags n) xs) (slow op (0, -f64.inf) (flags n) xs))

-- Numbers as flags; a choice that is no segment; four values.
-- ==
-- entry: bytes words last_seen best_sums
-- random input { [0]i32 } auto output
-- random input { [31]i32 } auto output
-- random input { [1000]i32 } auto output
-- random input { [70001]i32 } auto output
entry bytes [n] (xs: [n]i32) =
  map (.1) (scan (\(f, x) (g, y) -> (f | g, if g != 0 then y else x + y)) (0, 0) (map (\x -> (i8.bool (x % 11 == 0), x)) xs))
entry words [n] (xs: [n]i32) =
  map (.1) (scan (\(f, x) (g, y) -> (f | g, if g > 0 then y else x ^ y)) (0, 0) (map (\x -> (u32.bool (x % 11 == 0), x)) xs))
entry last_seen [n] (xs: [n]i32) = scan (\a b -> if b < 0 then b else a) 0 xs
entry best_sums [n] (xs: [n]i32) =
  let op (m, p, s, t) (n, q, u, v) : (i32, i32, i32, i32) =
    (i32.max m (i32.max n (s + q)), i32.max p (t + q), i32.max u (s + v), t + v)
  let one x = let x = x % 100 let y = i32.max x 0 in (y, y, y, x)
  in map (.0) (scan op (0, 0, 0, 0) (map one xs))

-- What is scanned has branches and checks, and is reduced, scattered and mapped afterwards.
-- ==
-- entry: longest
-- input { "" } output { 0i32 0i32 }
-- input { "one three  five sevenseven a" } output { 10i32 5i32 }
entry longest [n] (s: [n]u8) : (i32, i32) =
  let is = map (\c -> c != 32) s
  let starts = map2 (\i c -> c && (i == 0 || !is[i - 1])) (iota n) is
  let lens = scan (\(a, f) (b, g) -> (if g then b else a + b, f || g)) (0i32, false)
                  (map2 (\c st -> (i32.bool c, st || !c)) is starts)
  in (i32.max 0 (i32.maximum (map (.0) lens)), i32.sum (map i32.bool starts))

-- ==
-- entry: looked_up
-- input { [3i64, 0, 1, 2] [1i32, 2, 3, 4] } output { [4i32, 1, 3, 6] }
-- input { [3i64, 0, 4, 2] [1i32, 2, 3, 4] } error: Index \[4\] out of bounds
entry looked_up [n] (is: [n]i64) (xs: [n]i32) =
  segmented (+) 0 (map (== 0) is) (map (\i -> xs[i]) is)

-- ==
-- entry: ends
-- input { 5i64 } output { true }
-- input { 1000i64 } output { true }
-- compiled input { 70001i64 } output { true }
entry ends (n: i64) =
  let fs = flags n
  let xs = map i32.i64 (iota n)
  let sums = segmented (+) 0 fs xs
  let ids = scan (+) 0 (map i64.bool fs)
  let into = map (\i -> if i == n - 1 || fs[i + 1] then ids[i] else -1) (iota n)
  let got = scatter (replicate (n + 1) 0) into sums
  in i32.sum got == i32.sum xs

-- Rows, and segments of different lengths.
-- ==
-- entry: rows
-- input { 9i64 1i64 } output { true }
-- input { 9i64 20i64 } output { true }
-- input { 9i64 50i64 } output { true }
-- compiled input { 3i64 40000i64 } output { true }
entry rows (n: i64) (m: i64) =
  let xss = tabulate_2d n m (\i j -> i32.i64 (i * 31 + j * j))
  let fs = flags m
  let a = map (segmented (+) 0 fs) xss
  let b = map (slow (+) 0 fs) xss
  in and (flatten (map2 (map2 (==)) a b))

-- ==
-- entry: ragged
-- input { 40i64 } output { true }
entry ragged (n: i64) =
  let one k = let xs = map (\i -> i32.i64 (i * 7 + k)) (iota k)
              in i32.sum (map2 (\a b -> i32.bool (a != b)) (segmented i32.max i32.lowest (flags k) xs) (slow i32.max i32.lowest (flags k) xs))
  in all (== 0) (map one (iota n))

-- An operator that takes long: several parts of a chunk side by side.
-- ==
-- entry: remainders
-- input { 1000i64 } output { true }
-- compiled input { 100003i64 } output { true }
entry remainders (n: i64) =
  let xs = map (\i -> i % 5000 + 1) (iota n)
  let ys = scan (\a b -> a * b % 1000003) 1 xs
  in and (map (\i -> ys[i] == (if i == 0 then 1 else ys[i - 1]) * xs[i] % 1000003) (iota n))
