-- SPDX-License-Identifier: Apache-2.0
-- Arrays whose size is known only when the program runs can be used like others.

-- ==
-- input { [3i32, -1i32, 4i32, -1i32, 5i32] } output { [9i32, 16i32, 25i32] 3i64 }
-- input { [-1i32] } output { empty([0]i32) 0i64 }
entry main [n] (xs: [n]i32) : ([]i32, i64) =
  let positive = filter (> 0) xs
  let squares = map2 (*) positive positive
  in (squares, length squares)
