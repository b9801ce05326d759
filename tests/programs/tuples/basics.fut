-- SPDX-License-Identifier: Apache-2.0
-- Building, taking apart, and indexing tuples.

-- ==
-- entry: rotate3
-- input { 1i32 2f32 true } output { true 1i32 2f32 }
entry rotate3 (a: i32) (b: f32) (c: bool) : (bool, i32, f32) =
  let t = (a, b, c)
  in (t.2, t.0, t.1)

-- ==
-- entry: nested
-- input { 1i32 2i32 3i32 } output { 2i32 6i32 }
entry nested (a: i32) (b: i32) (c: i32) : (i32, i32) =
  let t = ((a, b), c)
  in (t.0.1, t.0.0 + t.0.1 + t.1)

-- ==
-- entry: arrays_of_tuples
-- input { [1i32, 2i32] [10i32, 20i32] } output { [11i32, 22i32] [10i32, 20i32] }
entry arrays_of_tuples [n] (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  unzip (map (\(x, y) -> (x + y, y)) (zip xs ys))

-- ==
-- entry: equality
-- input { 1i32 2i32 } output { false true }
-- input { 3i32 3i32 } output { true true }
entry equality (a: i32) (b: i32) : (bool, bool) = ((a, b) == (b, a), (a, (b, a)) == (a, (b, a)))
