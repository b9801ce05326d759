-- SPDX-License-Identifier: Apache-2.0
-- `for x in xs` visits the elements in order; elements may be rows or tuples.

-- ==
-- entry: digits
-- input { [1i32, 2i32, 3i32] } output { 123i32 }
-- input { empty([0]i32) } output { 0i32 }
entry digits [n] (xs: [n]i32) : i32 = loop acc = 0 for x in xs do acc * 10 + x

-- ==
-- entry: rows
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [4i32, 6i32] }
entry rows [n] [m] (xss: [n][m]i32) : [m]i32 = loop acc = replicate m 0 for xs in xss do map2 (+) acc xs

-- ==
-- entry: tuples
-- input { [1i32, 2i32, 3i32] [4i32, 5i32, 6i32] } output { 32i32 }
entry tuples [n] (xs: [n]i32) (ys: [n]i32) : i32 = loop acc = 0 for (x, y) in zip xs ys do acc + x * y
