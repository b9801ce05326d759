-- SPDX-License-Identifier: Apache-2.0
-- Reductions of rows, of columns, and with an operator on whole rows.

-- ==
-- entry: sums
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [6i32, 15i32] [5i32, 7i32, 9i32] }
-- input { empty([0][2]i32) } output { empty([0]i32) [0i32, 0i32] }
-- input { empty([2][0]i32) } output { [0i32, 0i32] empty([0]i32) }
entry sums [n] [m] (a: [n][m]i32) : ([n]i32, [m]i32) = (map (reduce (+) 0) a, map (reduce (+) 0) (transpose a))

-- ==
-- entry: vector_operator
-- input { [[1i32, 9i32], [4i32, 2i32], [3i32, 3i32]] } output { [4i32, 9i32] }
entry vector_operator [n] [m] (a: [n][m]i32) : [m]i32 = reduce (map2 i32.max) (replicate m i32.lowest) a

-- ==
-- entry: total
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { 10i32 10i32 }
entry total [n] [m] (a: [n][m]i32) : (i32, i32) =
  (reduce (+) 0 (map (reduce (+) 0) a), reduce (+) 0 (flatten a))
