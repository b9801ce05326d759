-- SPDX-License-Identifier: Apache-2.0
-- Maps before and beside maps that write to accumulators.
-- ==
-- entry: before
-- input { [10, 20, 30] [0i64, 2i64, 2i64, 5i64] [1, 2, 3, 4] } output { [12, 20, 45] }
-- ==
-- entry: beside
-- input { [10, 20, 30] [0, 0, 0] [0i64, 2i64, 1i64, 5i64] [1, 2, 3, 4] }
-- output { [11, 23, 32] [2, 4, 3] [1, 4, 9, 16] 10 }
-- ==
-- entry: kept
-- input { [10, 20, 30] [0i64, 2i64, 2i64, 5i64] [1, 2, 3, 4] } output { [12, 20, 45] [2, 5, 10, 17] }
-- ==
-- entry: several
-- input { [0, 0, 0, 0] 2i64 } output { [0, 100, 1, 101] }
-- ==
-- entry: inner
-- input { [0, 0, 0] [[0i64, 1i64], [1i64, 2i64]] } output { [1, 3, 2] }

type~ acc 't = intrinsics.acc t

def add_all [n][k] (dest: *[k]i32) (is: [n]i64) (xs: [n]i32) : *[k]i32 =
  intrinsics.hist_stream dest (+) 0 (\(acc: *acc ([]i32)) (i, x) -> intrinsics.acc_write acc i x) (zip is xs)

def put_all [n][k] (dest: *[k]i32) (is: [n]i64) (xs: [n]i32) : *[k]i32 =
  intrinsics.scatter_stream dest (\(acc: *acc ([]i32)) (i, x) -> intrinsics.acc_write acc i x) (zip is xs)

entry before [n] (dest: *[]i32) (is: [n]i64) (xs: [n]i32) = add_all dest is (map (\x -> x * x + 1) xs)

entry beside [n] (d: *[]i32) (e: *[]i32) (is: [n]i64) (xs: [n]i32) =
  (add_all d is xs, put_all e is (map (+ 1) xs), map (\x -> x * x) xs, i32.sum xs)

entry kept [n] (dest: *[]i32) (is: [n]i64) (xs: [n]i32) =
  let ys = map (\x -> x * x + 1) xs
  in (add_all dest is ys, ys)

entry several (dest: *[]i32) (n: i64) =
  let ys = map (\i -> 100 + i32.i64 i) (iota n)
  in intrinsics.scatter_stream dest
                               (\(acc: *acc ([]i32)) (i, y) ->
                                  let acc = intrinsics.acc_write acc (2 * i) (i32.i64 i)
                                  in intrinsics.acc_write acc (2 * i + 1) y)
                               (zip (iota n) ys)

-- The accumulator comes from outside of the map that writes.
entry inner [n][m][k] (dest: *[k]i32) (iss: [n][m]i64) =
  intrinsics.hist_stream dest
                         (+)
                         0
                         (\(acc: *acc ([]i32)) (is, x) ->
                            let ys = map (\i -> x + i32.i64 (i - i)) is
                            in loop acc for (i, y) in zip is ys do intrinsics.acc_write acc i y)
                         (zip iss (map (\i -> 1 + i32.i64 i) (iota n)))
