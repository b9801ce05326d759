-- SPDX-License-Identifier: Apache-2.0
-- Sizes are parameters: one function for arrays of every length.

def dot [n] (xs: [n]i32) (ys: [n]i32) : i32 = reduce (+) 0 (map2 (*) xs ys)
def size [n] (_xs: [n]i32) : i64 = n

-- ==
-- entry: products
-- input { [1i32, 2i32, 3i32] [4i32, 5i32, 6i32] } output { 32i32 14i32 }
-- input { empty([0]i32) empty([0]i32) } output { 0i32 0i32 }
entry products [n] (xs: [n]i32) (ys: [n]i32) : (i32, i32) = (dot xs ys, dot xs xs)

-- ==
-- entry: sizes
-- input { [1i32, 2i32, 3i32] [4i32] } output { 3i64 1i64 4i64 }
entry sizes [n] [m] (xs: [n]i32) (ys: [m]i32) : (i64, i64, i64) = (size xs, size ys, n + m)

-- ==
-- entry: matrix_sizes
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { 2i64 3i64 }
-- input { empty([0][5]i32) } output { 0i64 5i64 }
entry matrix_sizes [n] [m] (_a: [n][m]i32) : (i64, i64) = (n, m)
