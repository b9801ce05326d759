-- SPDX-License-Identifier: Apache-2.0
-- map over one to five arrays.

-- ==
-- entry: one
-- input { [1i32, 2i32, 3i32] } output { [2i32, 4i32, 6i32] }
-- input { empty([0]i32) } output { empty([0]i32) }
entry one [n] (xs: [n]i32) : [n]i32 = map (* 2) xs

-- ==
-- entry: two_to_five
-- input { [1i32, 2i32] [10i32, 20i32] }
-- output { [11i32, 22i32] [12i32, 24i32] [22i32, 44i32] [23i32, 46i32] }
entry two_to_five [n] (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32, [n]i32, [n]i32) =
  ( map2 (+) xs ys
  , map3 (\a b c -> a + b + c) xs ys xs
  , map4 (\a b c d -> a + b + c + d) xs ys xs ys
  , map5 (\a b c d e -> a + b + c + d + e) xs ys xs ys xs
  )

-- ==
-- entry: several_results
-- input { [7i32, -7i32] } output { [3i32, -4i32] [1i32, 1i32] }
entry several_results [n] (xs: [n]i32) : ([n]i32, [n]i32) = unzip (map (\x -> (x / 2, x % 2)) xs)

-- ==
-- entry: mixed_types
-- input { [1i32, 2i32] [0.5f64, 1.5f64] [true, false] } output { [1.5f64, -1.5f64] }
entry mixed_types [n] (xs: [n]i32) (ys: [n]f64) (cs: [n]bool) : [n]f64 =
  map3 (\x y c -> if c then f64.i32 x + y else -y) xs ys cs
