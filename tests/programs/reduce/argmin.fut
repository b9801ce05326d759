-- SPDX-License-Identifier: Apache-2.0
-- A reduction over pairs: the smallest element and the first place where it is.

-- ==
-- input { [3i32, 1i32, 2i32, 1i32] } output { 1i32 1i64 }
-- input { [9i32] } output { 9i32 0i64 }
-- input { empty([0]i32) } output { 2147483647i32 -1i64 }
entry main [n] (xs: [n]i32) : (i32, i64) =
  let smaller (a: i32, i: i64) (b: i32, j: i64) : (i32, i64) =
    if i < 0 then (b, j) else if j < 0 then (a, i)
    else if a < b || a == b && i < j then (a, i) else (b, j)
  in reduce smaller (i32.highest, -1) (zip xs (indices xs))
