-- SPDX-License-Identifier: Apache-2.0
-- Loops in loops.

-- ==
-- entry: table
-- input { 3i32 4i32 } output { 18i32 }
-- input { 0i32 4i32 } output { 0i32 }
entry table (n: i32) (m: i32) : i32 =
  loop total = 0 for i < n do
    loop total for j < m do total + i * j

-- Bubble sort, with an array as the loop's value.
-- ==
-- entry: sort
-- input { [3i32, 1i32, 2i32] } output { [1i32, 2i32, 3i32] }
-- input { [5i32, 4i32, 3i32, 2i32, 1i32] } output { [1i32, 2i32, 3i32, 4i32, 5i32] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [7i32] } output { [7i32] }
entry sort [n] (xs: [n]i32) : [n]i32 =
  loop xs = copy xs for i < n - 1 do
    loop xs for j < n - 1 - i do
      let a = xs[j]
      let b = xs[j + 1]
      in if a > b then xs with [j] = b with [j + 1] = a else xs
