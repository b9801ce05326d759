-- SPDX-License-Identifier: Apache-2.0
-- zip and unzip.

-- ==
-- entry: round_trip
-- input { [1i32, 2i32] [0.5f32, 1.5f32] } output { [1i32, 2i32] [0.5f32, 1.5f32] }
-- input { empty([0]i32) empty([0]f32) } output { empty([0]i32) empty([0]f32) }
entry round_trip [n] (xs: [n]i32) (ys: [n]f32) : ([n]i32, [n]f32) = unzip (zip xs ys)

-- ==
-- entry: three
-- input { [1i32, 2i32] [3i32, 4i32] [5i32, 6i32] } output { [9i32, 12i32] [5i32, 6i32] }
entry three [n] (xs: [n]i32) (ys: [n]i32) (zs: [n]i32) : ([n]i32, [n]i32) =
  let (_, _, c) = unzip3 (zip3 xs ys zs)
  in (map (\(x, y, z) -> x + y + z) (zip3 xs ys zs), c)
