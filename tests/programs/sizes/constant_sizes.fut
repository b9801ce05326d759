-- SPDX-License-Identifier: Apache-2.0
-- Sizes of an entry point that definitions give.
def width : i64 = 3
def height : i64 = 2 * width - 4

-- ==
-- entry: main
-- input { [[1, 2, 3], [4, 5, 6]] [10, 20, 30] } output { [60, 180] }
-- input { [[1, 2], [3, 4]] [10, 20] } error: invalid sizes
-- input { [[1, 2, 3]] [10, 20, 30] } error: invalid sizes
-- input { [[1, 2, 3], [4, 5, 6]] [10, 20, 30, 40] } error: invalid sizes
entry main (xss: [height][width]i32) (ys: [width]i32) : [height]i32 =
  map (\xs -> i32.sum (map2 (\x y -> x * y) xs ys) - ys[width - 1] * xs[2] + ys[0] * xs[width - 3]) xss
