-- SPDX-License-Identifier: Apache-2.0
-- `for i < n`: sums, products, no iteration at all, and other counter types.

-- ==
-- entry: sum
-- input { 5i64 } output { 10i64 }
-- input { 0i64 } output { 0i64 }
-- input { -3i64 } output { 0i64 }
entry sum (n: i64) : i64 = loop acc = 0 for i < n do acc + i

-- ==
-- entry: factorial
-- input { 5i32 } output { 120i32 }
-- input { 0i32 } output { 1i32 }
-- input { 13i32 } output { 1932053504i32 }
entry factorial (n: i32) : i32 = loop acc = 1 for i < n do acc * (i + 1)

-- ==
-- entry: two_values
-- input { 10i32 } output { 55i64 89i64 }
-- input { 0i32 } output { 0i64 1i64 }
entry two_values (n: i32) : (i64, i64) = loop (a, b) = (0, 1) for _i < n do (b, a + b)
