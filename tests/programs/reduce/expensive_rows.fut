-- SPDX-License-Identifier: Apache-2.0
-- Sums of short rows of expensive points: neighbouring rows run in the lanes.

-- ==
-- entry: roots
-- input { 0i64 5i64 } output { true }
-- input { 5i64 5i64 } output { true }
-- input { 16i64 0i64 } output { true }
-- input { 16i64 1i64 } output { true }
-- input { 77i64 5i64 } output { true }
-- input { 200i64 63i64 } output { true }
-- input { 33i64 64i64 } output { true }
def root (i: i64) (j: i64) : f32 = f32.sqrt (f32.i64 (i * 31 + j * j)) / f32.i64 (j + 3)

-- Other devices add in other orders.
def near (x: f32) (y: f32) : bool = f32.abs (x - y) <= 0.00001 * f32.abs y

entry roots (n: i64) (m: i64) : bool =
  let found = tabulate n (\i -> f32.sum (tabulate m (root i)))
  let wanted = tabulate n (\i -> loop s = 0f32 for j < m do s + root i j)
  in and (map2 near found wanted)

-- In three dimensions, with two results and an array that is read along the rows.
-- ==
-- entry: deeper
-- input { 3i64 41i64 6i64 } output { true }
-- input { 2i64 16i64 7i64 } output { true }
entry deeper (k: i64) (n: i64) (m: i64) : bool =
  let xs = map f32.i64 (iota m)
  let at h i j : f32 = f32.min xs[j] (root (h + i) j)
  let found =
    tabulate_2d k n (\h i -> reduce (\(a, b) (c, d) -> (a + c, f32.max b d)) (0, 0)
                                    (map (\j -> (at h i j, root i j)) (iota m)))
  let wanted =
    tabulate_2d k n (\h i -> loop (a, b) = (0, 0) for j < m do (a + at h i j, f32.max b (root i j)))
  in and (flatten (map2 (map2 (\(a, b) (c, d) -> near a c && b == d)) found wanted))
