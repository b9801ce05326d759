-- SPDX-License-Identifier: Apache-2.0
-- A loop inside a map, with a different number of iterations for each element.

-- ==
-- input { [0i64, 1i64, 5i64, 10i64] } output { [1i64, 2i64, 32i64, 1024i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
entry main [n] (xs: [n]i64) : [n]i64 = map (\x -> loop acc = 1 for _i < x do acc * 2) xs

-- ==
-- entry: while_in_map
-- input { [1i32, 2i32, 100i32, 0i32] } output { [1i32, 2i32, 128i32, 1i32] }
entry while_in_map [n] (xs: [n]i32) : [n]i32 = map (\x -> loop p = 1 while p < x do p * 2) xs
