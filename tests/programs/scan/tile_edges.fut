-- SPDX-License-Identifier: Apache-2.0
-- Scans, filters and partitions of sizes around a warp, a thread's row and a tile of a device.
-- A scan is right if each element follows from the one before it; the operators are exact.
-- ==
-- entry: sums pairs_of_lengths affine matrices bytes shorts mixed several filters partitions three_ways beside
-- compiled input { 0i64 } output { true }
-- compiled input { 1i64 } output { true }
-- compiled input { 31i64 } output { true }
-- compiled input { 32i64 } output { true }
-- compiled input { 33i64 } output { true }
-- compiled input { 1279i64 } output { true }
-- compiled input { 4095i64 } output { true }
-- compiled input { 4096i64 } output { true }
-- compiled input { 4097i64 } output { true }
-- compiled input { 5887i64 } output { true }
-- compiled input { 5888i64 } output { true }
-- compiled input { 5889i64 } output { true }
-- compiled input { 23553i64 } output { true }
-- compiled input { 300001i64 } output { true }

def hash (i: i64) : u32 =
  let x = u32.i64 i * 2654435761
  let x = (x ^ (x >> 15)) * 2246822519
  in x ^ (x >> 13)

def follows 't [n] (op: t -> t -> t) (same: t -> t -> bool) (xs: [n]t) (ys: [n]t) : bool =
  all id (tabulate n (\i -> same ys[i] (if i == 0 then xs[0] else op ys[i - 1] xs[i])))

entry sums (n: i64) : bool =
  let xs = tabulate n (\i -> i32.u32 (hash i))
  in follows (+) (==) xs (scan (+) 0 xs)

-- Strings by their length and last letter, which do not commute.
entry pairs_of_lengths (n: i64) : bool =
  let op (a, x) (b, y) : (i64, u8) = (a + b, if b == 0 then x else y)
  let same (a, x) (b, y) = a == b && x == y
  let xs = tabulate n (\i -> let h = hash i in (i64.u32 (h % 3), if h % 3 == 0 then 0 else u8.u32 (h >> 8)))
  in follows op same xs (scan op (0, 0) xs)

entry affine (n: i64) : bool =
  let op (a, b) (c, d) : (u32, u32) = (a * c, b * c + d)
  let same (a, b) (c, d) = a == c && b == d
  let xs = tabulate n (\i -> (hash i, hash (i + 7)))
  in follows op same xs (scan op (1, 0) xs)

entry matrices (n: i64) : bool =
  let op (a, b, c, d) (e, f, g, h) : (i32, i32, i32, i32) =
    (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
  let same (a, b, c, d) (e, f, g, h) = a == e && b == f && c == g && d == h
  let at i = i32.u32 (hash i % 5)
  let xs = tabulate n (\i -> (at i, at (i + 1), at (i + 2), at (i + 3)))
  in follows op same xs (scan op (1, 0, 0, 1) xs)

entry bytes (n: i64) : bool =
  let xs = tabulate n (\i -> i8.u32 (hash i))
  in follows i8.max (==) xs (scan i8.max i8.lowest xs)
     && follows (+) (==) xs (scan (+) 0 xs)

entry shorts (n: i64) : bool =
  let xs = tabulate n (\i -> u16.u32 (hash i))
  in follows (^) (==) xs (scan (^) 0 xs)

-- One operator on values of several sizes.
entry mixed (n: i64) : bool =
  let op (a, b, c, d) (e, f, g, h) : (bool, i8, u16, i64) = (a != e, b + f, u16.max c g, d + h)
  let same (a, b, c, d) (e, f, g, h) = a == e && b == f && c == g && d == h
  let xs = tabulate n (\i -> let h = hash i in (h % 2 == 0, i8.u32 h, u16.u32 (h >> 3), i64.u32 h << 20))
  in follows op same xs (scan op (false, 0, 0, 0) xs)

-- Several scans and a reduction of the same points.
entry several (n: i64) : bool =
  let xs = tabulate n (\i -> i64.u32 (hash i))
  let ys = map (% 10) xs
  let (a, b) = (scan (+) 0 xs, scan i64.max 0 ys)
  let total = i64.sum xs
  in follows (+) (==) xs a && follows i64.max (==) ys b && (n == 0 || total == last a)

def ordered [n] (p: i64 -> bool) (all: i64) (xs: [n]i64) : bool =
  and (map p xs) && and (tabulate n (\i -> i == 0 || xs[i - 1] < xs[i])) &&
  n == i64.sum (tabulate all (\i -> i64.bool (p i)))

entry filters (n: i64) : bool =
  let p i = hash i % 3 == 0
  in ordered p n (filter p (iota n)) && ordered (const true) n (filter (const true) (iota n))
     && ordered (const false) n (filter (const false) (iota n))

entry partitions (n: i64) : bool =
  let p i = hash i % 4 == 1
  let (a, b) = partition p (iota n)
  in ordered p n a && ordered (\i -> !(p i)) n b

entry three_ways (n: i64) : bool =
  let p i = hash i % 4 == 1
  let q i = hash i % 4 == 2
  let (a, b, c) = partition2 (\(i, _) -> p i) (\(i, _) -> q i) (zip (iota n) (map u8.i64 (iota n)))
  let right xs = and (map (\(i, x) -> x == u8.i64 i) xs)
  in ordered p n (map (.0) a) && ordered q n (map (.0) b)
     && ordered (\i -> !(p i || q i)) n (map (.0) c) && right a && right b && right c

-- A filter beside a scan of the same points.
entry beside (n: i64) : bool =
  let hs = map hash (iota n)
  let sums = scan (+) 0 hs
  let few = filter (\(h, _) -> h % 5 == 0) (zip hs (iota n))
  in follows (+) (==) hs sums && ordered (\i -> hash i % 5 == 0) n (map (.1) few)
