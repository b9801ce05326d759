-- SPDX-License-Identifier: Apache-2.0
-- The size of an array may change from one iteration to the next.

-- ==
-- entry: doubling
-- input { [1i32, 2i32] 2i32 } output { [1i32, 2i32, 1i32, 2i32, 1i32, 2i32, 1i32, 2i32] }
-- input { [1i32, 2i32] 0i32 } output { [1i32, 2i32] }
entry doubling [n] (xs: [n]i32) (k: i32) : []i32 = loop (ys: []i32) = xs for _i < k do ys ++ ys

-- ==
-- entry: halving
-- input { [8i32, 7i32, 6i32, 5i32, 4i32] } output { [8i32] }
entry halving [n] (xs: [n]i32) : []i32 =
  loop (ys: []i32) = xs while length ys > 1 do ys[:length ys / 2]
