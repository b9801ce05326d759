-- SPDX-License-Identifier: Apache-2.0
-- Matrix products, also with empty dimensions.

-- ==
-- input { [[1i32, 2i32], [3i32, 4i32]] [[5i32, 6i32], [7i32, 8i32]] } output { [[19i32, 22i32], [43i32, 50i32]] }
-- input { [[1i32, 2i32, 3i32]] [[1i32], [10i32], [100i32]] } output { [[321i32]] }
-- input { empty([2][0]i32) empty([0][2]i32) } output { [[0i32, 0i32], [0i32, 0i32]] }
entry main [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) a
