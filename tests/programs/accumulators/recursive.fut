-- SPDX-License-Identifier: Apache-2.0
-- Recursive functions that take accumulators.

type~ acc 't = intrinsics.acc t

def every_second [n] (acc: *acc ([n]i32)) (i: i64) : *acc ([n]i32) =
  if i < 0 then acc else every_second (intrinsics.acc_write acc i 1) (i - 2)

-- ==
-- entry: overwrite
-- input { [0, 0, 0, 0, 0, 0] [4i64, 1i64] } output { [1, 1, 1, 0, 1, 0] }
entry overwrite (dest: *[]i32) (is: []i64) =
  intrinsics.scatter_stream dest (\(acc: *acc ([]i32)) i -> every_second acc i) is

-- The same function with two operators, one of which uses a value from outside.
-- ==
-- entry: combine
-- input { [0, 0, 0, 0] [10, 10, 10, 10] [3i64, 1i64, 3i64] 12 } output { [0, 3, 0, 2] [10, 12, 10, 12] }
-- input { [0, 0, 0, 0] [10, 10, 10, 10] [3i64, 1i64, 3i64] 5 } output { [0, 3, 0, 2] [10, 5, 10, 5] }
entry combine (a: *[]i32) (b: *[]i32) (is: []i64) (most: i32) =
  (intrinsics.hist_stream a (+) 0 (\(acc: *acc ([]i32)) i -> every_second acc i) is,
   intrinsics.hist_stream b (\x y -> i32.min most (x + y)) 0 (\(acc: *acc ([]i32)) i -> every_second acc i) is)

-- Two calls in one body.
def tree [n] (acc: *acc ([n]i32)) (depth: i64) (at: i64) : *acc ([n]i32) =
  if depth == 0 then intrinsics.acc_write acc at 1
  else let acc = tree acc (depth - 1) (at * 2)
       in tree acc (depth - 1) (at * 2 + 1)
-- ==
-- entry: two_calls
-- input { 3i64 } output { [1, 1, 1, 1, 1, 1, 1, 1, 0] }
entry two_calls (depth: i64) =
  intrinsics.hist_stream (replicate (2 ** depth + 1) 0i32) (+) 0 (\(acc: *acc ([]i32)) _ -> tree acc depth 0) (iota 1)
