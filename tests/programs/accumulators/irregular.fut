-- SPDX-License-Identifier: Apache-2.0
-- Writes in nests whose extents differ: to accumulators from outside, and to those of an iteration.
-- ==
-- entry: triangle
-- input { 4i64 } output { [6i64, 3i64, 1i64, 0i64] }
-- input { 0i64 } output { empty([0]i64) }
-- ==
-- entry: nested_loops
-- input { [0, 0, 0, 0, 0] [1i64, 0i64, 3i64] } output { [4, 2, 1, 0, 0] }
-- ==
-- entry: filtered
-- input { [0, 0, 0] [0i64, 4i64, 7i64] } output { [2, 2, 1] }
-- ==
-- entry: either_side
-- input { [0, 0, 0, 0] [2i64, -3i64, 1i64] } output { [2, 1, 100, 0] }
-- ==
-- entry: while_rounds
-- input { [0, 0, 0, 0] [1i64, 4i64, 2i64] } output { [3, 2, 1, 1] }
-- ==
-- entry: own
-- input { [3i64, 0i64, 1i64, 4i64] } output { [3, 0, 1, 4] }
-- ==
-- entry: own_spans
-- input { [3i64, 1i64, 4i64] } output { [6, 1, 10] }
-- ==
-- entry: own_fixed
-- input { [3i64, 0i64, 5i64] } output { [[2, 1], [0, 0], [3, 2]] }

type~ acc 't = intrinsics.acc t

-- Iteration i writes i times.
entry triangle (n: i64) =
  intrinsics.hist_stream (replicate n 0i64)
                         (+)
                         0
                         (\(acc: *acc ([]i64)) i -> loop acc for j < i do intrinsics.acc_write acc j (i - j))
                         (iota n)

entry nested_loops (dest: *[]i32) (ns: []i64) =
  intrinsics.hist_stream dest
                         (+)
                         0
                         (\(acc: *acc ([]i32)) n ->
                            loop acc for j < n do
                              loop acc for k < n - j do
                                if j + k < n then intrinsics.acc_write acc k 1 else acc)
                         ns

-- Parallel code before the writes.
entry filtered (dest: *[]i32) (ns: []i64) =
  intrinsics.hist_stream dest
                         (+)
                         0
                         (\(acc: *acc ([]i32)) n ->
                            let odd = filter (\i -> i % 2 == 1) (iota n)
                            in loop acc for i < length odd do
                                 intrinsics.acc_write acc (odd[i] % 3) 1)
                         ns

-- Sides with parallel code of their own.
entry either_side (dest: *[]i32) (ns: []i64) =
  intrinsics.hist_stream dest
                         (+)
                         0
                         (\(acc: *acc ([]i32)) n ->
                            if n > 0
                            then loop acc for j < n do intrinsics.acc_write acc j 1
                            else let s = i64.sum (map (\x -> x * x) (iota (-n)))
                                 in intrinsics.acc_write acc (s % 3) 100)
                         ns

entry while_rounds (dest: *[]i32) (ns: []i64) =
  intrinsics.hist_stream dest
                         (+)
                         0
                         (\(acc: *acc ([]i32)) n ->
                            (loop (acc, k) = (acc, 0) while k < n do
                               let s = i64.sum (map (\x -> x / n) (iota (n + k)))
                               in (intrinsics.acc_write acc (s % 4) 1, k + 1)).0)
                         ns

-- Accumulators of the iteration.
entry own (ns: []i64) =
  map (\n ->
         let xs = intrinsics.hist_stream (replicate n 0i32)
                                         (+)
                                         0
                                         (\(acc: *acc ([]i32)) i -> intrinsics.acc_write acc (n - 1 - i) 1)
                                         (iota (n + 1))
         in i32.sum xs)
      ns

entry own_spans (ns: []i64) =
  map (\n ->
         let xs = intrinsics.hist_stream (replicate n 0i32)
                                         (+)
                                         0
                                         (\(acc: *acc ([]i32)) i ->
                                            loop acc for j < i do intrinsics.acc_write acc j 1)
                                         (iota n)
         in i32.sum xs + i32.i64 n)
      ns

entry own_fixed (ns: []i64) =
  map (\n ->
         intrinsics.hist_stream (replicate 2 0i32)
                                (+)
                                0
                                (\(acc: *acc ([]i32)) i -> intrinsics.acc_write acc (i % 2) 1)
                                (iota n))
      ns
