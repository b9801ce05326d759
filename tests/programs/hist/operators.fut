-- SPDX-License-Identifier: Apache-2.0
-- reduce_by_index with several operators.

-- ==
-- entry: sum
-- input { [0i32, 0i32, 0i32] [0i64, 2i64, 0i64] [5i32, 6i32, 7i32] } output { [12i32, 0i32, 6i32] }
-- input { [1i32, 1i32] [0i64, -1i64, 2i64, 1i64] [5i32, 6i32, 7i32, 8i32] } output { [6i32, 9i32] }
-- input { [1i32, 1i32] empty([0]i64) empty([0]i32) } output { [1i32, 1i32] }
-- input { empty([0]i32) [0i64] [5i32] } output { empty([0]i32) }
entry sum [k] [n] (dest: *[k]i32) (is: [n]i64) (vs: [n]i32) : *[k]i32 = reduce_by_index dest (+) 0 is vs

-- ==
-- entry: extremes
-- input { [0i64, 1i64, 0i64, 1i64] [5i32, -6i32, 7i32, 8i32] } output { [7i32, 8i32, -2147483648i32] [5i32, -6i32, 2147483647i32] }
entry extremes [n] (is: [n]i64) (vs: [n]i32) : ([3]i32, [3]i32) =
  ( reduce_by_index (replicate 3 i32.lowest) i32.max i32.lowest is vs
  , reduce_by_index (replicate 3 i32.highest) i32.min i32.highest is vs
  )

-- ==
-- entry: product_and_bits
-- input { [0i64, 1i64, 0i64] [2u8, 3u8, 5u8] } output { [10u8, 3u8] [7u8, 3u8] [7u8, 3u8] }
entry product_and_bits [n] (is: [n]i64) (vs: [n]u8) : ([2]u8, [2]u8, [2]u8) =
  ( reduce_by_index (replicate 2 1) (*) 1 is vs
  , reduce_by_index (replicate 2 0) (|) 0 is vs
  , reduce_by_index (replicate 2 0) (^) 0 is vs
  )

-- ==
-- entry: floats
-- input { [0i64, 0i64, 1i64] [0.5f32, 0.25f32, 2f32] } output { [0.75f32, 2f32] }
entry floats [n] (is: [n]i64) (vs: [n]f32) : [2]f32 = reduce_by_index (replicate 2 0) (+) 0 is vs
