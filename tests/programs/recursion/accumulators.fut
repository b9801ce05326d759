-- SPDX-License-Identifier: Apache-2.0
-- Recursive functions with parallel code that write to an accumulator of their caller: the writes of
-- all calls of one level are one kernel.

type~ acc 't = intrinsics.acc t

-- How often each pivot was compared.
def count [k][n] (acc: *acc ([k]i32)) (xs: [n]i64) : *acc ([k]i32) =
  if n == 0
  then acc
  else let pivot = xs[n / 2]
       let acc = intrinsics.acc_write acc pivot (i32.i64 n)
       let acc = count acc (filter (< pivot) xs)
       in count acc (filter (> pivot) xs)

-- ==
-- entry: one
-- input { [4i64, 1i64, 3i64, 0i64, 2i64] } output { [3, 1, 2, 5, 1] }
-- input { empty([0]i64) } output { empty([0]i32) }
entry one [n] (xs: [n]i64) =
  intrinsics.hist_stream (replicate n 0i32) (+) 0 (\(acc: *acc ([]i32)) _ -> count acc xs) (iota 1)

-- ==
-- entry: many
-- input { [3i64, 0i64, 5i64, 2i64] 5i64 } output { [3, 9, 2, 2, 5] }
entry many (ns: []i64) (k: i64) =
  intrinsics.hist_stream (replicate k 0i32) (+) 0 (\(acc: *acc ([]i32)) n -> count acc (map (\i -> (i * 7) % n) (iota n))) ns

-- What is written last stays: one call after the other, not by batches.
def last_one [k][n] (acc: *acc ([k]i32)) (xs: [n]i64) (depth: i32) : *acc ([k]i32) =
  if n == 0
  then acc
  else let acc = last_one acc (filter (< xs[0]) xs) (depth + 1)
       let acc = last_one acc (filter (> xs[0]) xs) (depth + 1)
       in intrinsics.acc_write acc (xs[0] / 2) depth

-- ==
-- entry: in_order
-- input { [2i64, 1i64, 3i64, 0i64] } output { [1, 0] }
entry in_order (xs: []i64) =
  intrinsics.scatter_stream [9i32, 9i32] (\(acc: *acc ([]i32)) _ -> last_one acc xs 0) (iota 1)

-- Only one call, but parallel code around it.
def halves [k][n] (acc: *acc ([k]i64)) (xs: [n]i64) : *acc ([k]i64) =
  if n == 0
  then acc
  else let acc = loop acc for i < n do intrinsics.acc_write acc (xs[i] % k) n
       in halves acc (map (+ 1) (take (n / 2) xs))

-- ==
-- entry: shrinking
-- input { [5i64, 0i64, 2i64] 4i64 } output { [12i64, 10i64, 8i64, 5i64] }
entry shrinking (ns: []i64) (k: i64) =
  intrinsics.hist_stream (replicate k 0i64) (+) 0 (\(acc: *acc ([]i64)) n -> halves acc (iota n)) ns
