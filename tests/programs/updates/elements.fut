-- SPDX-License-Identifier: Apache-2.0
-- xs with [i] = v gives the array with one element changed.

-- ==
-- entry: with_one
-- input { [1i32, 2i32, 3i32] 1i64 9i32 } output { [1i32, 9i32, 3i32] }
-- input { [1i32] 0i64 9i32 } output { [9i32] }
entry with_one [n] (xs: *[n]i32) (i: i64) (v: i32) : *[n]i32 = xs with [i] = v

-- ==
-- entry: let_form
-- input { [1i32, 2i32, 3i32] } output { [10i32, 2i32, 30i32] }
entry let_form (xs: *[3]i32) : *[3]i32 =
  let xs[0] = 10
  let xs[2] = 30
  in xs

-- ==
-- entry: matrix
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[1i32, 20i32], [3i32, 4i32]] }
entry matrix (a: *[2][2]i32) : *[2][2]i32 = a with [0, 1] = 20

-- A copy can be changed while the original stays.
-- ==
-- entry: copied
-- input { [1i32, 2i32] } output { [1i32, 2i32] [7i32, 2i32] }
entry copied [n] (xs: [n]i32) : ([n]i32, [n]i32) = let ys = copy xs with [0] = 7 in (copy xs, ys)
