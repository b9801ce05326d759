-- SPDX-License-Identifier: Apache-2.0
-- reduce_comm promises that the order does not matter.

-- ==
-- input { [5i32, 3i32, 9i32] } output { 17i32 9i32 }
-- input { empty([0]i32) } output { 0i32 0i32 }
entry main [n] (xs: [n]i32) : (i32, i32) = (reduce_comm (+) 0 xs, reduce_comm (\a b -> if a < b then b else a) 0 xs)

-- ==
-- entry: large
-- compiled input { 1000000i64 } output { 499999500000i64 999999i64 }
entry large (n: i64) : (i64, i64) = (reduce_comm (+) 0 (iota n), reduce_comm i64.max (-1) (iota n))
