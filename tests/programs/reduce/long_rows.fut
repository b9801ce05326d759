-- SPDX-License-Identifier: Apache-2.0
-- Sums over rows of very different lengths, as maps over many rows: one of them is longer than all others together.
-- Row i has i % 7 elements, row k has `long`.
def offsets (n: i64) (k: i64) (long: i64) : [n + 1]i64 =
  let ends = scan (+) 0 (map (\i -> if i == k then long else i % 7) (iota n))
  in map (\i -> if i == 0 then 0 else ends[i - 1]) (iota (n + 1))

-- ==
-- entry: contiguous
-- input { 100i64 3i64 200000i64 } output { 200292i64 -100146f64 }
-- input { 100i64 99i64 65535i64 } output { 65829i64 -32916f64 }
-- input { 100i64 0i64 65536i64 } output { 65831i64 -32917f64 }
-- input { 300i64 200i64 100000i64 } output { 100893i64 -50448f64 }
entry contiguous (n: i64) (k: i64) (long: i64) : (i64, f64) =
  let os = offsets n k long
  let m = os[n]
  let xs = map (\i -> f64.i64 (i % 2) - f64.i64 ((i + 1) % 2) * 2) (iota m)
  let sums = map (\i -> f64.sum xs[os[i]:os[i + 1]]) (iota n)
  in (m, f64.sum sums)

-- ==
-- entry: gathered
-- input { 100i64 3i64 200000i64 0i64 } output { 1019662i64 3i64 }
-- input { 300i64 299i64 80000i64 0i64 } output { 411810i64 299i64 }
-- input { 100i64 3i64 200000i64 150000i64 } error: Index \[-149997\] out of bounds for array of shape \[10\]
entry gathered (n: i64) (k: i64) (long: i64) (bad: i64) : (i64, i64) =
  let os = offsets n k long
  let m = os[n]
  let table = opaque (map (* 1) (iota 10))
  let is = opaque (map (\i -> if bad > 0 && i > bad then bad - i - bad + 4 else (i * 7) % 11 % 10) (iota m))
  let sums = map (\i -> i64.sum (map (\j -> table[j] + 1) is[os[i]:os[i + 1]])) (iota n)
  let longest = reduce (\a b -> if sums[a] >= sums[b] then a else b) 0 (iota n)
  in (i64.sum sums, longest)

-- ==
-- entry: chosen
-- input { 70i64 } output { 138820f32 }

-- The row is an array that the branch has made.
entry chosen (n: i64) : f32 =
  let xs = map f32.i64 (iota (n * 50))
  let ys = map (* 2) xs
  in f32.maximum (map (\i -> f32.sum (if i % 3 == 0 then map (+ 1) xs[i * 50:i * 50 + 40] else ys[i:i + 40])) (iota n))
