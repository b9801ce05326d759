-- SPDX-License-Identifier: Apache-2.0
-- An operator on pairs: the largest value of each bin with its position.

-- ==
-- input { [0i64, 1i64, 0i64, 1i64, 0i64] [3i32, 9i32, 7i32, 2i32, 7i32] } output { [7i32, 9i32] [2i64, 1i64] }
-- input { empty([0]i64) empty([0]i32) } output { [-2147483648i32, -2147483648i32] [-1i64, -1i64] }
entry main [n] (is: [n]i64) (vs: [n]i32) : ([2]i32, [2]i64) =
  let larger (a: i32, i: i64) (b: i32, j: i64) : (i32, i64) =
    if i < 0 then (b, j) else if j < 0 then (a, i)
    else if a > b || a == b && i < j then (a, i) else (b, j)
  in unzip (reduce_by_index (replicate 2 (i32.lowest, -1)) larger (i32.lowest, -1) is (zip vs (iota n)))
