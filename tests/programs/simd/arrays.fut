-- SPDX-License-Identifier: Apache-2.0
-- Arrays of one lane: with the same index in all lanes, with different ones, copied, filled.
-- ==
-- entry: rotate_small
-- input { [0i64,3,2,1,0] [1f32,2,3,4,5,6,7,8,9] } output { [0f32,255f32,122f32,37f32,0f32] }
-- ==
-- entry: pick
-- input { [0i64,1,2,3,1,0] } output { [7i32,17,27,37,17,7] }
-- ==
-- entry: count_digits
-- input { [12345i32,11111,2222,998,0] } output { [[0i32,1,1,1,1,1,0,0,0,0],[0,5,0,0,0,0,0,0,0,0],[0,0,4,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0,1,2],[0,0,0,0,0,0,0,0,0,0]] }
-- ==
-- entry: sort4
-- input { [[4i8,3,2,1],[1,2,3,4],[2,4,1,3],[-1,-2,-3,-4],[0,0,0,0]] }
-- output { [[1i8,2,3,4],[1,2,3,4],[1,2,3,4],[-4,-3,-2,-1],[0,0,0,0]] }
-- ==
-- entry: sized
-- input { 5i64 [1i32,2,3,4,5,6,7] } output { [10i32,20,30,40,50,60,70] }
entry rotate_small (xs: []i64) (ys: []f32) =
  map (\i -> let a = [ys[i], ys[i+1], 0]
             let a = loop a = copy a for k < 10 do a with [k % 3] = a[(k+1)%3] + f32.i64 i
             in a[0] + a[1]*a[2]) xs
entry pick (is: []i64) =
  map (\i -> let a = [7, 17, 27, 37] in (loop a for k < 3i64 do a with [k] = a[k])[i]) is
entry count_digits (xs: []i32) : [][10]i32 =
  map (\x -> (loop (a, x) = (replicate 10 0, x) while x > 0 do (a with [x % 10] = a[x % 10] + 1, x / 10)).0) xs
entry sort4 (rows: [][4]i8) =
  map (\row -> loop r = copy row for i < 4i64 do
         loop r for j < 3i64 do
           if r[j] > r[j+1] then let t = r[j] let u = r[j+1] in (copy r with [j] = u) with [j+1] = t else r) rows
entry sized (m: i64) (xs: []i32) =
  map (\x -> let a = loop a = replicate m x for k < m do a with [k] = a[k] + i32.i64 k
             in i32.sum a * 10 / (i32.i64 m) - 2 * 10) xs
