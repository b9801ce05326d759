-- SPDX-License-Identifier: Apache-2.0
-- Every name about arrays.
-- ==
-- entry: parts
-- input { [4, 5, 6, 7] }
-- output { 4i64 false 4 7 [5, 6, 7] [4, 5, 6] [4, 5] [6, 7] [7, 6, 5, 4] [5, 6, 7, 4] }

entry parts (a: []i32) =
  (length a, null a, head a, last a, tail a, init a, take 2 a, drop 2 a, reverse a, rotate 1 a)

-- ==
-- entry: joined
-- input { [1, 2] [3] }
-- output { [1, 2, 3] [1, 2, 3] [1, 2] [3] [0i64, 1i64] [0i64, 1i64, 2i64] [7, 7] [8, 8] }

entry joined [n] [m] (a: [n]i32) (b: [m]i32) =
  let both = a ++ b
  let (x, y) = split both
  let eights : [n]i32 = rep 8
  in (both, concat a b, x, y, indices a, iota 3, replicate 2 7, eights)

-- ==
-- entry: sized_to
-- input { [1, 2, 3] 3i64 } output { 6 }
-- input { [1, 2, 3] 4i64 } error: shape

entry sized_to (a: []i32) (n: i64) = i32.sum (sized n a)

-- ==
-- entry: reshaped
-- input { [1, 2, 3, 4, 5, 6, 7, 8] }
-- output { [[1, 2], [3, 4], [5, 6], [7, 8]] [[1, 3, 5, 7], [2, 4, 6, 8]] [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
--          [1, 2, 3, 4, 5, 6, 7, 8] [1, 2, 3, 4, 5, 6, 7, 8] [1, 2, 3, 4, 5, 6, 7, 8] 8 }

entry reshaped (a: [8]i32) =
  let two : [4][2]i32 = unflatten (a :> [4 * 2]i32)
  let three : [2][2][2]i32 = unflatten_3d (a :> [2 * 2 * 2]i32)
  let four : [2][2][2][1]i32 = unflatten_4d (a :> [2 * 2 * 2 * 1]i32)
  in (two, transpose two, three, flatten two, flatten_3d three, flatten_4d four, four[1, 1, 1, 0])

-- ==
-- entry: sequential
-- input { [1, 2, 3] } output { 123 321 [1, 2, 3] [1, 2, 3] }

entry sequential [n] (a: [n]i32) =
  (foldl (\x y -> 10 * x + y) 0 a, foldr (\y x -> 10 * x + y) 0 a, copy a, manifest a)

-- ==
-- entry: tabulated
-- input { 2i64 }
-- output { [0i64, 10i64] [[0i64, 1i64, 2i64], [10i64, 11i64, 12i64]] [[[0i64], [1i64]], [[10i64], [11i64]]] }

entry tabulated (n: i64) =
  ( tabulate n (* 10)
  , tabulate_2d n 3 (\i j -> 10 * i + j)
  , tabulate_3d n 2 1 (\i j k -> 10 * i + j + k)
  )
