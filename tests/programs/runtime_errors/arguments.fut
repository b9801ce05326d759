-- SPDX-License-Identifier: Apache-2.0
-- Arguments whose sizes contradict each other.

-- ==
-- input { [1i32, 2i32] [3i32, 4i32] } output { [4i32, 6i32] }
-- input { [1i32, 2i32] [3i32] } error: invalid size
entry main [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys

-- ==
-- entry: square
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { 5i32 }
-- input { [[1i32, 2i32]] } error: invalid size
entry square [n] (a: [n][n]i32) : i32 = i32.sum (map (\i -> a[i, i]) (iota n))
