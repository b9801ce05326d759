-- SPDX-License-Identifier: Apache-2.0
-- Loops that lanes leave at different times.
-- ==
-- entry: collatz
-- input { [1i64,2,3,4,5,6,7,8,9,27,97] } output { [0i32,1,7,2,5,8,16,3,19,111,118] }
-- ==
-- entry: escape
-- input { [0f32,0.5,1,2,-1,-2,0.25,-0.75,3] } output { [60i32,5,3,2,60,60,60,60,1] }
-- ==
-- entry: triangle
-- input { 12i64 } output { [0i64,0,1,3,6,10,15,21,28,36,45,55] }
-- ==
-- entry: from_to
-- input { [3i32,0,5,7,2] [5i32,4,5,3,9] } output { [7i32,6,0,0,35] }
-- ==
-- entry: nested
-- input { [0i32,1,2,3,4,5,6] } output { [0i32,0,1,4,10,20,35] }
-- ==
-- entry: early_exit
-- input { [3i32,9,4,100] [1i32,2,3,4,5,6,7,8,9,10] } output { [2i64,8,3,10] }
-- ==
-- entry: while_in_if
-- input { [5i32,-5,12,-1,0,100] } output { [3i32,-5,4,-1,0,7] }

entry collatz (xs: []i64) =
  map (\x -> (loop (x, n) = (x, 0i32) while x != 1 do
                if x % 2 == 0 then (x / 2, n + 1) else (3 * x + 1, n + 1)).1) xs

entry escape (cs: []f32) =
  map (\c -> (loop (z, i) = (0, 0i32) while i < 60 && z * z <= 4 do (z * z + c, i + 1)).1) cs

entry triangle (n: i64) = map (\i -> loop s = 0 for k < i do s + k) (iota n)

entry from_to (as: []i32) (bs: []i32) =
  map2 (\a b -> (loop (s, i) = (0, a) while i < b do (s + i, i + 1)).0) as bs

entry nested (ns: []i32) =
  map (\n -> loop s = 0 for i < n do loop t = s for j < i do t + (j - j) + i - j) ns

entry early_exit [n] (ws: []i32) (xs: [n]i32) =
  map (\w -> loop i = 0 while i < n && xs[i] != w do i + 1) ws

entry while_in_if (xs: []i32) =
  map (\x -> if x > 0 then (loop (x, n) = (x, 0) while x > 0 do (x / 2, n + 1)).1 else x) xs
