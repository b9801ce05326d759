-- SPDX-License-Identifier: Apache-2.0
-- Every level of the table of operators, from loose to tight.
-- ==
-- entry: arithmetic
-- input { 7 2 }
-- output { [11, 15, 3, 512, 49, -5, 28, 29, 31, 3] }

entry arithmetic (x: i32) (y: i32) : []i32 =
  [ x + y * 2
  , x * y + 1
  , x - y * y // 1
  , 2 ** 3 ** y * 4 + x * 2 ** y * 16 - 192 -- (2 ** 3) ** 2 = 64: left associative
  , (-x) ** y
  , -x + y
  , x << y
  , x << y + 0 | 1
  , 0x1f & 0xff ^ 0
  , x & 3
  ]

-- ==
-- entry: comparisons
-- input { 7 2 }
-- output { [true, true, true, false, true, true] }

entry comparisons (x: i32) (y: i32) : []bool =
  [ x + 1 > y && y < x
  , false && false || true
  , true || true && false
  , !(x > y)
  , x & 1 == 1
  , x == 7 == true
  ]

-- ==
-- entry: pipes
-- input { [3, 1, 2] }
-- output { 12 12 7 true [2, 1, 3] }

entry pipes (xs: []i32) =
  ( xs |> map (* 2) |> i32.sum
  , i32.sum <| map (* 2) <| xs
  , 1 + 2 `i32.max` 5 + 2
  , xs |> i32.sum |> (== 6)
  , xs |> reverse
  )

-- Prefix operators bind as tightly as application; `f -x` is a subtraction.
-- ==
-- entry: prefixes
-- input { 5 } output { -6 4 false -6 250u8 }

entry prefixes (x: i32) =
  let f (y: i32) = y + 1
  let g = 9i32
  in (-f x, g -x, !true, !x, -6u8)
