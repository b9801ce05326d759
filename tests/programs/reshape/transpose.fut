-- SPDX-License-Identifier: Apache-2.0
-- Rows become columns; twice is nothing.

-- ==
-- entry: once
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [[1i32, 4i32], [2i32, 5i32], [3i32, 6i32]] }
-- input { empty([0][3]i32) } output { empty([3][0]i32) }
entry once [n] [m] (a: [n][m]i32) : [m][n]i32 = transpose a

-- ==
-- entry: twice
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] }
entry twice [n] [m] (a: [n][m]i32) : [n][m]i32 = transpose (transpose a)

-- ==
-- entry: then_map
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [4i32, 6i32] }
entry then_map [n] [m] (a: [n][m]i32) : [m]i32 = map i32.sum (transpose a)
