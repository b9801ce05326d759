-- SPDX-License-Identifier: Apache-2.0
-- Names, shadowing, patterns, and functions inside functions.

-- ==
-- entry: shadowing
-- input { 3i32 } output { 14i32 }
entry shadowing (x: i32) : i32 =
  let y = x * 2
  let x = y + 1
  let y = x + y + 1
  in y

-- ==
-- entry: patterns
-- input { 1i32 2i32 3i32 } output { 6i32 }
entry patterns (a: i32) (b: i32) (c: i32) : i32 =
  let (x, (y, _)) = (a, (b, 99))
  let {left, right = z} = {left = c, right = 0}
  in x + y + left + z

-- A local function sees the names around it.
-- ==
-- entry: local_function
-- input { 10i32 } output { 33i32 }
entry local_function (x: i32) : i32 =
  let add (y: i32) : i32 = x + y
  in add 1 + add (add 2)

-- ==
-- entry: annotated
-- input { 5i64 } output { 10i64 }
entry annotated (x: i64) : i64 = let y: i64 = x in (y + x : i64)
