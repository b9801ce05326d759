-- SPDX-License-Identifier: Apache-2.0
-- Scalar loops in which several iterations share the branch of a check: whichever of them fails, the
-- message is that of the first, and what came before it is done.
-- ==
-- entry: gather
-- input { [0i64,1,2,3,4,4,3,2,1,0,2,2,2,1,0,0,3,1,4] [1f32,2,3,4,5] }
-- output { [1f32,2,3,4,5,5,4,3,2,1,3,3,3,2,1,1,4,2,5] }
-- input { [0i64,1,2,3,4,4,3,2,1,0,2,7,2,1,-9,0,3,1,4] [1f32,2,3,4,5] } error: Index \[7\] out of bounds
-- input { [0i64,1,2,3,4,4,3,2,1,0,2,2,2,1,0,0,3,1,-1] [1f32,2,3,4,5] } error: Index \[-1\] out of bounds
-- input { [0i64,0,0,0,0,0,0,0] empty([0]f32) } error: Index \[0\] out of bounds
-- input { empty([0]i64) empty([0]f32) } output { empty([0]f32) }
-- ==
-- entry: gather_i32
-- input { [0i32,1,2,3,4,4,3,2,1,0] [1f32,2,3,4,5] } output { [1f32,2,3,4,5,5,4,3,2,1] }
-- input { [0i32,1,2,3,4,4,3,2,1,-2147483648] [1f32,2,3,4,5] } error: Index \[-2147483648\] out of bounds
-- input { [0i32,1,2,3,4,4,2147483647,2,1,5] [1f32,2,3,4,5] } error: Index \[2147483647\] out of bounds
-- ==
-- entry: gather_i8
-- input { [0i8,1,2,3,4,4,3,2] [1f32,2,3,4,5] } output { [1f32,2,3,4,5,5,4,3] }
-- input { [0i8,1,2,-128,4,4,3,2] [1f32,2,3,4,5] } error: Index \[-128\] out of bounds
-- input { [0i8,1,2,127,4,4,3,2] [1f32,2,3,4,5] } error: Index \[127\] out of bounds
-- ==
-- entry: two
-- input { [0i64,1,2,3,4,4,3,2] [4i64,3,2,1,0,1,2,3] [1f32,2,3,4,5] } output { [6f32,6,6,6,6,7,7,7] }
-- input { [0i64,1,2,3,4,9,3,2] [4i64,3,2,8,0,1,2,3] [1f32,2,3,4,5] } error: Index \[8\] out of bounds
-- ==
-- entry: summed
-- input { [0i64,1,2,3,4,4,3,2,1,0,2,2,2,1,0,0,3,1,4] [1f32,2,3,4,5] } output { 54f32 }
-- input { [0i64,1,2,3,4,4,3,2,1,0,2,2,2,1,5,0,3,1,6] [1f32,2,3,4,5] } error: Index \[5\] out of bounds
-- input { [0i64,1,2,3,4,4,3,2,1,0,2,2,2,1,0,0,3,1,6] [1f32,2,3,4,5] } error: Index \[6\] out of bounds
-- ==
-- entry: in_order
-- input { [0i64,1,2,3,4,4,3] [1f32,2,3,4,5] } output { 25.57421875f32 }
-- input { [0i64,1,2,3,-2,4,9] [1f32,2,3,4,5] } error: Index \[-2\] out of bounds
-- ==
-- entry: chain
-- input { [1i64,2,3,0] 6i32 } output { 2i64 }
-- input { [1i64,2,4,0] 6i32 } error: Index \[4\] out of bounds
-- ==
-- entry: written
-- input { [1i64,2,3,4,5,9] } output { [1i64,3,7,15,31,63] }
-- ==
-- entry: divided
-- input { [1i64,2,-3,4,5,6,7,-8,9] } output { [100i64,50,-34,25,20,16,14,-13,11] }
-- input { [1i64,2,-3,4,5,0,7,-8,0] } error: division by zero
-- ==
-- entry: extremes
-- input { [-9223372036854775808i64,7,-7,9223372036854775807] [-1i64,-2,2,-1] }
-- output { [-9223372036854775808i64,-4,-4,-9223372036854775807] [0i64,-1,1,0] }
entry gather (is: []i64) (xs: []f32) = map (\i -> xs[i]) is
entry gather_i32 (is: []i32) (xs: []f32) = map (\i -> xs[i]) is
entry gather_i8 (is: []i8) (xs: []f32) = map (\i -> xs[i]) is
entry two [n] (is: [n]i64) (js: [n]i64) (xs: []f32) = map2 (\i j -> xs[i] + xs[j]) is js
entry summed (is: []i64) (xs: []f32) = f32.sum (map (\i -> xs[i]) is)
-- A loop that carries something: only its checks run ahead.
entry in_order [n] (is: [n]i64) (xs: []f32) =
  let rows = map (\k -> loop acc = f32.i64 k for j < n do acc * 0.5 + xs[is[j]]) (iota 4)
  in f32.sum (map2 (*) rows [1, 1, 0.5, 0.5])
-- The index that is checked depends on the iteration before.
entry chain (xs: []i64) (n: i32) = (map (\s -> loop i = s for _k < n do xs[i]) [0i64])[0]
-- What is checked reads what the loop writes.
entry written [n] (xs: [n]i64) =
  loop ys = copy xs for k < n - 1 do
    ys with [k + 1] = ys[k] * 2 + 1
entry divided (xs: []i64) = map (\x -> 100 / x) xs
entry extremes [n] (as: [n]i64) (bs: [n]i64) = (map2 (/) as bs, map2 (%) as bs)
