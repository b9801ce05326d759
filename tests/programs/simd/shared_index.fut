-- SPDX-License-Identifier: Apache-2.0
-- Several gathers and scatters with one index: lanes that all look at one place, at neighbours, or at places
-- of their own, some of them inactive.  Every line compares with a loop that goes from point to point.
-- ==
-- entry: segments permuted under_conditions narrow
-- input { 1i64 1i64 } output { true }
-- input { 7i64 3i64 } output { true }
-- input { 1000i64 1i64 } output { true }
-- input { 1000i64 7i64 } output { true }
-- input { 1003i64 100i64 } output { true }
-- input { 1003i64 2000i64 } output { true }
-- ==
-- entry: failing
-- input { [0i64, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 14, 15] } output { 4017i64 }
-- input { [0i64, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 15, 14, -3] } error: Index \[16\] out of bounds
-- input { [3i64, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, -1, 14, 16] } error: Index \[-1\] out of bounds

def all_equal 't [n] (eq: t -> t -> bool) (xs: [n]t) (ys: [n]t) : bool = and (map2 eq xs ys)

-- Each point looks up where its segment begins and what lies before that.
entry segments (n: i64) (length: i64) : bool =
  let begins = map (\i -> i - i % length) (iota n)
  let xs = map (\i -> i * i % 1001) (iota n)
  let ys = map (\i -> f32.i64 (i % 77)) (iota n)
  let f i x y before = (x - before + i, y + f32.i64 i)
  let (as, bs) =
    unzip (map2 (\i b -> f i xs[b] ys[b] (if b == 0 then 0 else xs[b - 1])) (iota n) begins)
  let (as2, bs2) =
    loop (as, bs) = (replicate n 0, replicate n 0) for i < n do
      let b = begins[i]
      let (a, b) = f i xs[b] ys[b] (if b == 0 then 0 else xs[b - 1])
      in (as with [i] = a, bs with [i] = b)
  in all_equal (==) as as2 && all_equal (==) bs bs2

-- Stretches of `length` points change their order; some points go nowhere.
entry permuted (n: i64) (length: i64) : bool =
  let stretches = (n + length - 1) / length
  let places =
    map (\i -> let s = i / length
               let to = (if s % 3 == 1 then s else stretches - 1 - s) * length + i % length
               in if i % 11 == 5 then -1 else to) (iota n)
  let xs = map (\i -> i * i % 1001) (iota n)
  let free = map (\p -> p >= 0 && p < n) places
  -- Of equal places the last point's value stays.
  let (as, bs) = (scatter (replicate n (-1)) places (map (\p -> p * 3) places),
                  scatter (replicate n 9i32) places (map (\p -> i32.i64 p - 1) places))
  let (as2, bs2) =
    loop (as, bs) = (replicate n (-1), replicate n 9i32) for i < n do
      if free[i] then (as with [places[i]] = places[i] * 3, bs with [places[i]] = i32.i64 places[i] - 1) else (as, bs)
  in all_equal (==) as as2 && all_equal (==) bs bs2 && i64.sum xs >= 0

-- The places of inactive lanes need not exist, be it the first lane's or another's.
entry under_conditions (n: i64) (length: i64) : bool =
  let begins = map (\i -> if i % 13 == 0 then -1000000 else if i % 8 < 3 then n + i else i - i % length) (iota n)
  let xs = map (\i -> i * i % 1001) (iota n)
  let ys = map (\i -> i32.i64 i * 7) (iota n)
  let as = map2 (\i b -> if b < 0 || b >= n then i else #[unsafe] (xs[b] + i64.i32 ys[b])) (iota n) begins
  let as2 =
    loop as = iota n for i < n do
      let b = begins[i]
      in if b < 0 || b >= n then as else as with [i] = xs[b] + i64.i32 ys[b]
  in all_equal (==) as as2

-- Elements of all sizes, indices of 32 bits.
entry narrow (n: i64) (length: i64) : bool =
  let begins = map (\i -> i32.i64 (i - i % length)) (iota n)
  let check 'a 'b (eq: (a, b) -> (a, b) -> bool) (f: i64 -> a) (g: i64 -> b) =
    let xs = map f (iota n)
    let ys = map g (iota n)
    let as = map (\b -> (xs[b], ys[b])) begins
    let as2 = loop as = zip xs ys for i < n do as with [i] = (xs[begins[i]], ys[begins[i]])
    in all_equal eq as as2
  in check (==) u8.i64 i32.i64 && check (==) f16.i64 f64.i64 && check (==) i16.i64 (\i -> i % 3 == 0)
     && check (==) u64.i64 u32.i64

-- The first point that fails, whatever its neighbours do.
entry failing (is: []i64) : i64 =
  let xs = map (\i -> i * i) (iota 16)
  let ys = map (\i -> i + 1) (iota 16)
  in i64.sum (map2 (\i j -> (xs[i] + ys[i]) * (1 + j % 3)) is (indices is))
