-- SPDX-License-Identifier: Apache-2.0
-- Indices that are computed from other indices: those that cannot be wrong are not checked, the others still are.

-- ==
-- entry: torus
-- input { [10, 20, 30] [0i64, 2i64, 1i64, 0i64, 2i64] } output { [40, 60, 60, 40, 60] }
-- input { [10, 20, 30] [0i64, 2i64, 3i64, 0i64] } error: Index \[3\] out of bounds
-- input { [10, 20, 30] [0i64, -1i64, 3i64, 0i64] } error: Index \[-1\] out of bounds
-- input { [7] [0i64, 0i64] } output { [21, 21] }
-- input { empty([0]i32) [0i64] } error: division by zero|out of bounds
-- input { empty([0]i32) empty([0]i64) } output { empty([0]i32) }
entry torus [n] (xs: [n]i32) (is: []i64) : []i32 = map (\i -> xs[i] + xs[(i + 1) % n] + xs[i / 2]) is

-- The remainder by another number.
-- ==
-- entry: other
-- input { [10, 20, 30] 3i64 [0i64, 2i64] } output { [30, 40] }
-- input { [10, 20, 30] 9i64 [0i64, 2i64] } error: Index \[3\] out of bounds
-- input { [10, 20, 30] -3i64 [0i64, 2i64] } error: Index \[-2\] out of bounds
entry other [n] (xs: [n]i32) (m: i64) (is: []i64) : []i32 = map (\i -> xs[i] + xs[(i + 1) % m]) is

-- Only some iterations check the first index, so the second one is checked in all others.
-- ==
-- entry: branches
-- input { [10, 20, 30] [0i64, 5i64, 2i64] } output { [15, 30, 35] }
-- input { [10, 20, 30] [0i64, 7i64, 2i64] } error: Index \[3\] out of bounds
-- input { [10, 20, 30] [0i64, -5i64, 2i64] } error: Index \[-3\] out of bounds
entry branches [n] (xs: [n]i32) (is: []i64) : []i32 =
  map (\i -> let a = if i < 3 && i >= 0 then xs[i] / 2 else 0
             in a + (if i == 2 then xs[1] else if i == 0 then xs[0] else xs[i / 2])) is

-- In a loop whose index changes.
-- ==
-- entry: walk
-- input { [1i64, 2i64, 0i64] 5i64 } output { 2i64 }
-- input { [1i64, 2i64, 7i64] 5i64 } error: Index \[7\] out of bounds
entry walk [n] (next: [n]i64) (steps: i64) : i64 =
  loop at = 0 for _k < steps do
    let a = next[at]
    let b = next[(at + n) % n]
    in if a == b then a else -1

-- By a number that is not positive.
-- ==
-- entry: divided
-- input { [10, 20, 30] [0i64, 2i64] } output { [20, 50] }
-- input { [10, 20, 30] [0i64, 3i64] } error: Index \[3\] out of bounds
entry divided [n] (xs: [n]i32) (is: []i64) : []i32 = map (\i -> xs[i] + xs[-i / -2]) is
