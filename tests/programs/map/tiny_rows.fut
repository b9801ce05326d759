-- SPDX-License-Identifier: Apache-2.0
-- Rows whose length is known only when the program runs, and turns out to be tiny; something differs
-- from row to row.  Each is compared with the same on one long row, and the last group is not full.

def row_of (m: i64) (k: i64) = if m == 0 then 0 else k / m
def col_of (m: i64) (k: i64) = if m == 0 then 0 else k % m

def same [n] 't (eq: t -> t -> bool) (a: [n]t) (b: [n]t) = all id (map2 eq a b)

-- ==
-- entry: maps
-- input { 700i64 0i64 } output { true }
-- input { 5000i64 1i64 } output { true }
-- input { 3001i64 2i64 } output { true }
-- input { 2000i64 3i64 } output { true }
-- input { 1037i64 5i64 } output { true }
-- input { 999i64 7i64 } output { true }
-- input { 400i64 8i64 } output { true }
-- input { 0i64 3i64 } output { true }
entry maps (n: i64) (m: i64) =
  let r = tabulate n (\i -> f32.i64 (i * i % 17))
  let c = tabulate m (\j -> i32.i64 (j * 5 - 7))
  let xs = tabulate_2d n m (\i j -> f32.i64 ((i * m + j) % 29))
  let scaled = map2 (\row a -> map (\x -> x * a - 1) row) xs r
  let products = map (\i -> map (\b -> i32.i64 i * b + i32.i64 m) c) (iota n)
  let (places, wide) = unzip (map unzip (tabulate_2d n m (\i j -> (i16.i64 (i - j), i * 3 + j * j))))
  in same (==) (flatten scaled)
          (tabulate (n * m) (\k -> f32.i64 (k % 29) * r[row_of m k] - 1))
     && same (==) (flatten products)
             (tabulate (n * m) (\k -> i32.i64 (row_of m k) * c[col_of m k] + i32.i64 m))
     && same (==) (flatten places) (tabulate (n * m) (\k -> i16.i64 (row_of m k - col_of m k)))
     && same (==) (flatten wide)
             (tabulate (n * m) (\k -> row_of m k * 3 + col_of m k * col_of m k))

-- ==
-- entry: scans
-- input { 700i64 0i64 } output { true }
-- input { 5000i64 1i64 } output { true }
-- input { 3001i64 2i64 } output { true }
-- input { 2000i64 3i64 } output { true }
-- input { 1037i64 5i64 } output { true }
-- input { 333i64 17i64 } output { true }
-- input { 200i64 23i64 } output { true }
-- input { 200i64 24i64 } output { true }
entry scans (n: i64) (m: i64) =
  let r = tabulate n (\i -> i32.i64 (i * i % 17) - 5)
  let numbers = map (\i -> scan (+) 0 (replicate m (i32.i64 i))) (iota n)
  let mixed = map (\i -> scan i32.max i32.lowest (tabulate m (\j -> r[i] * i32.i64 (j % 4)))) (iota n)
  let floats = map (\i -> scan (+) 0 (replicate m (f64.i64 i))) (iota n)
  let pairs = map (\i -> scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0)
                              (tabulate m (\j -> (r[i], i32.i64 j)))) (iota n)
  let one_by_one i =
    loop acc = replicate m (1i32, 0i32) for j < m do
      let (a, b) = if j == 0 then (1, 0) else acc[j - 1]
      in acc with [j] = (a * r[i], b * r[i] + i32.i64 j)
  let highest i j = i32.maximum (tabulate (j + 1) (\k -> r[i] * i32.i64 (k % 4)))
  in same (==) (flatten numbers)
          (tabulate (n * m) (\k -> i32.i64 (row_of m k * (col_of m k + 1))))
     && same (==) (flatten mixed) (tabulate (n * m) (\k -> highest (row_of m k) (col_of m k)))
     && same (==) (flatten floats)
             (tabulate (n * m) (\k -> f64.i64 (row_of m k * (col_of m k + 1))))
     && same (==) (flatten pairs) (flatten (map one_by_one (iota n)))

-- ==
-- entry: reductions
-- input { 700i64 0i64 } output { true }
-- input { 5000i64 1i64 } output { true }
-- input { 3001i64 2i64 } output { true }
-- input { 2000i64 3i64 } output { true }
-- input { 1037i64 4i64 } output { true }
-- input { 333i64 17i64 } output { true }
-- input { 7i64 40i64 } output { true }
entry reductions (n: i64) (m: i64) =
  let r = tabulate n (\i -> i32.i64 (i * i % 17) - 5)
  let c = tabulate m (\j -> i32.i64 (j * 5 - 7))
  let xs = tabulate_2d n m (\i j -> i32.i64 ((i * 31 + j * 7) % 29))
  let outer = map (\a -> i32.maximum (map (\b -> a ^ b) c)) r
  let inner = map2 (\row a -> i32.sum (map (\x -> (x - a) * (x - a)) row)) xs r
  let pairs = map2 (\row a -> reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0)
                                     (map (\x -> (x ^ a, x)) row)) xs r
  let sums = map2 (\row a -> f32.sum (map (\x -> f32.i32 x * f32.i32 a) row)) xs r
  let by_loop 't (f: t -> i32 -> i32 -> t) (ne: t) (i: i64) : t = loop acc = ne for j < m do f acc xs[i, j] r[i]
  in same (==) outer (tabulate n (\i -> loop acc = i32.lowest for j < m do i32.max acc (r[i] ^ c[j])))
     && same (==) inner (tabulate n (by_loop (\acc x a -> acc + (x - a) * (x - a)) 0))
     && same (==) pairs
             (tabulate n (by_loop (\(p, q) x a -> (p * (x ^ a), q * (x ^ a) + x)) (1, 0)))
     && same (==) sums (tabulate n (by_loop (\acc x a -> acc + f32.i32 x * f32.i32 a) 0))

-- Three dimensions, the last one tiny.
-- ==
-- entry: boxes
-- input { 9i64 70i64 1i64 } output { true }
-- input { 9i64 70i64 3i64 } output { true }
-- input { 300i64 1i64 1i64 } output { true }
entry boxes (n: i64) (m: i64) (l: i64) =
  let xs = tabulate_3d n m l (\i j k -> i * 100 + j * 10 + k)
  let sums = map (map i64.sum) xs
  let scans = map2 (\i -> map (\row -> scan (+) 0 (map (* i) row))) (iota n) xs
  let first i j = map (\row -> row[0]) scans[i, j:j + 1]
  in same (==) (flatten sums)
          (tabulate (n * m) (\p -> l * ((p / m) * 100 + (p % m) * 10) + l * (l - 1) / 2))
     && same (==) (flatten (map (map last) scans))
             (tabulate (n * m) (\p -> (p / m) * (l * ((p / m) * 100 + (p % m) * 10) + l * (l - 1) / 2)))
     && (first 2 0)[0] == 400

-- What costs much depends on the place in the row alone, or on that and an outer index.
-- ==
-- entry: waves
-- input { 3i64 700i64 5i64 } output { true }
-- input { 2i64 20i64 50i64 } output { true }
-- input { 1i64 256i64 63i64 } output { true }
-- input { 2i64 300i64 64i64 } output { true }
-- input { 2i64 100i64 0i64 } output { true }
entry waves (l: i64) (n: i64) (m: i64) =
  let phase = tabulate l (\k -> 1 + f32.i64 k)
  let term k i j = f32.sqrt (f32.i64 j * phase[k]) * f32.i64 i / f32.i64 (j + 1)
  let sums = tabulate_2d l n (\k i -> f32.sum (tabulate m (term k i)))
  let wanted = tabulate_2d l n (\k i -> loop acc = 0 for j < m do acc + term k i j)
  in same (\a b -> f32.abs (a - b) <= 1e-4 * (1 + f32.abs b)) (flatten sums) (flatten wanted)
