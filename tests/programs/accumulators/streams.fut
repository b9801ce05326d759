-- SPDX-License-Identifier: Apache-2.0
-- Accumulators: arrays that a function may only write to, in any order.
-- ==
-- entry: spread
-- input { [0, 0, 0, 0, 0, 0] [1i64, 3i64, 9i64, -1i64] } output { [0, 10, 0, 30, 0, 0] }
-- ==
-- entry: twice
-- input { [0, 0, 0, 0, 0, 0] 3i64 } output { [0, 100, 1, 101, 2, 102] }
-- ==
-- entry: count
-- input { [10, 20, 30] [0i64, 2i64, 2i64, 5i64, 0i64, 2i64] } output { [12, 20, 33] }
-- ==
-- entry: best
-- input { 3i64 [0i64, 1i64, 0i64, 1i64, 7i64] [5i32, 3i32, 9i32, 3i32, 1i32] }
-- output { [9i32, 3i32, -1i32] [2i64, 1i64, -1i64] }
-- ==
-- entry: conditional
-- input { [0, 0, 0, 0] } output { [1, 0, 1, 0] }
-- ==
-- entry: looped
-- input { [0, 0, 0] 4i64 } output { [8, 8, 0] }
-- ==
-- entry: nested
-- input { 2i64 3i64 } output { [[1, 1, 1], [2, 2, 2]] }
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] [0i64, 1i64, 0i64] } output { [[3, 2], [3, 5]] }

type~ acc 't = intrinsics.acc t

entry spread (dest: *[]i32) (is: []i64) =
  intrinsics.scatter_stream dest (\(acc: *acc ([]i32)) i -> intrinsics.acc_write acc i (10 * i32.i64 i)) is

-- Two writes in one iteration.
entry twice (dest: *[]i32) (n: i64) =
  intrinsics.scatter_stream dest
                            (\(acc: *acc ([]i32)) i ->
                               let acc = intrinsics.acc_write acc (2 * i) (i32.i64 i)
                               in intrinsics.acc_write acc (2 * i + 1) (100 + i32.i64 i))
                            (iota n)

entry count (dest: *[]i32) (is: []i64) =
  intrinsics.hist_stream dest (+) 0 (\(acc: *acc ([]i32)) i -> intrinsics.acc_write acc i 1) is

-- An operator on pairs.
entry best (n: i64) (is: []i64) (xs: []i32) =
  let better (a, i) (b, j) = if a > b || (a == b && i < j) then (a, i) else (b, j)
  let dest = replicate n (-1, -1)
  in intrinsics.hist_stream dest
                            better
                            (-1, -1)
                            (\(acc: *acc ([](i32, i64))) (i, (x, k)) -> intrinsics.acc_write acc i (x, k))
                            (zip is (zip xs (indices xs)))
     |> unzip

entry conditional [n] (dest: *[n]i32) =
  intrinsics.scatter_stream dest
                            (\(acc: *acc ([]i32)) i -> if i % 2 == 0 then intrinsics.acc_write acc i 1 else acc)
                            (iota n)

entry looped (dest: *[]i32) (n: i64) =
  intrinsics.hist_stream dest
                         (+)
                         0
                         (\(acc: *acc ([]i32)) _ ->
                            loop acc for j < 3i64 do
                              intrinsics.acc_write acc (j % 2) (i32.i64 (j % 2 + 1)))
                         (iota n)

-- Inside a parallel map.
entry nested (n: i64) (m: i64) =
  tabulate n (\i ->
                intrinsics.hist_stream (replicate m 0)
                                       (+)
                                       0
                                       (\(acc: *acc ([]i32)) j -> intrinsics.acc_write acc j (i32.i64 i + 1))
                                       (iota m))

-- The values are arrays.
entry rows [n][m] (dest: *[n][m]i32) (is: []i64) =
  intrinsics.hist_stream dest
                         (map2 (+))
                         (replicate m 0)
                         (\(acc: *acc ([][m]i32)) i -> intrinsics.acc_write acc i (tabulate m (\k -> if k == i then 1 else 0)))
                         is
