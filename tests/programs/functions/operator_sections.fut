-- SPDX-License-Identifier: Apache-2.0
-- Operators as functions, with one side given.

-- ==
-- entry: sections
-- input { [1i32, 2i32, 4i32] } output { [3i32, 4i32, 6i32] [9i32, 8i32, 6i32] [0i32, 1i32, 2i32] }
entry sections [n] (xs: [n]i32) : ([n]i32, [n]i32, [n]i32) = (map (+ 2) xs, map (10 -) xs, map (/ 2) xs)

-- ==
-- entry: pipes
-- input { [5i32, 6i32, 7i32] } output { 36i32 }
entry pipes [n] (xs: [n]i32) : i32 = xs |> map (* 2) |> reduce (+) 0

-- ==
-- entry: infix_name
-- input { 7i32 3i32 } output { 3i32 10i32 }
entry infix_name (x: i32) (y: i32) : (i32, i32) =
  let plus (a: i32) (b: i32) = a + b
  in (x `i32.min` y, x `plus` y)
