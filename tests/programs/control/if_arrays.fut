-- SPDX-License-Identifier: Apache-2.0
-- A choice between arrays, also of different sizes, and between tuples.

-- ==
-- entry: same_size
-- input { true [1i32, 2i32] [3i32, 4i32] } output { [1i32, 2i32] }
-- input { false [1i32, 2i32] [3i32, 4i32] } output { [3i32, 4i32] }
entry same_size [n] (c: bool) (xs: [n]i32) (ys: [n]i32) : [n]i32 = if c then xs else ys

-- ==
-- entry: other_size
-- input { true [1i32, 2i32] [3i32] } output { [1i32, 2i32] }
-- input { false [1i32, 2i32] [3i32] } output { [3i32] }
-- input { false [1i32] empty([0]i32) } output { empty([0]i32) }
entry other_size [n] [m] (c: bool) (xs: [n]i32) (ys: [m]i32) : []i32 = if c then xs else ys

-- ==
-- entry: swap_if
-- input { true 1i32 2i32 } output { 2i32 1i32 }
-- input { false 1i32 2i32 } output { 1i32 2i32 }
entry swap_if (c: bool) (x: i32) (y: i32) : (i32, i32) = if c then (y, x) else (x, y)

-- Inside a map each element chooses for itself.
-- ==
-- entry: in_map
-- input { [-1i32, 0i32, 7i32] } output { [1i32, 100i32, 7i32] }
entry in_map [n] (xs: [n]i32) : [n]i32 =
  map (\x -> if x == 0 then 100 else if x < 0 then -x else x) xs
