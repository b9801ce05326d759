-- SPDX-License-Identifier: Apache-2.0
-- Changing a whole slice or row.

-- ==
-- entry: middle
-- input { [1i32, 2i32, 3i32, 4i32] } output { [1i32, 20i32, 30i32, 4i32] }
entry middle (xs: *[4]i32) : *[4]i32 = xs with [1:3] = [20, 30]

-- ==
-- entry: strided
-- input { [1i32, 2i32, 3i32, 4i32] } output { [0i32, 2i32, 0i32, 4i32] }
entry strided (xs: *[4]i32) : *[4]i32 = xs with [::2] = [0, 0]

-- ==
-- entry: row_and_column
-- input { [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } output { [[7i32, 8i32], [3i32, 4i32]] [[1i32, 7i32], [3i32, 8i32]] }
entry row_and_column [n] (a: [n][n]i32) (v: [n]i32) : ([n][n]i32, [n][n]i32) =
  (copy a with [0] = v, copy a with [:, 1] = v)

-- ==
-- entry: reversed_target
-- input { [1i32, 2i32, 3i32] } output { [3i32, 2i32, 1i32] }
entry reversed_target [n] (xs: [n]i32) : [n]i32 = replicate n 0 with [::-1] = xs
