-- SPDX-License-Identifier: Apache-2.0
-- A check that fails in one lane: the message is that of the first failing iteration.
-- ==
-- entry: indices
-- input { [0i64,1,2,3,4,3,2,1,0,0] [1i32,2,3,4,5] } output { [1i32,2,3,4,5,4,3,2,1,1] }
-- input { [0i64,1,2,3,4,3,2,5,0,7] [1i32,2,3,4,5] } error: Index \[5\] out of bounds
-- input { [0i64,1,2,3,4,3,2,0,0,-1] [1i32,2,3,4,5] } error: Index \[-1\] out of bounds
-- ==
-- entry: later
-- input { [1i32,2,3,4,5,6,7,8,9] } output { [100i32,50,33,25,20,16,14,12,11] }
-- input { [1i32,2,3,4,5,0,7,8,9] } error: division by zero
-- ==
-- entry: guarded
-- input { [1i64,20,3,-4,0] [10i32,20,30,40] } output { [20i32,0,40,0,10] }
-- ==
-- entry: in_loop
-- input { [1i64,2,3,4] [10i32,20,30,40] } output { [10i32,30,60,100] }
-- input { [1i64,2,6,5] [10i32,20,30,40] } error: Index \[4\] out of bounds
-- ==
-- entry: many
-- input { 1000i64 } output { 499500i64 }
-- ==
-- entry: said
-- input { [1i32,5,3] } output { [1i32,5,3] }
-- input { [1i32,5,3,9,8,12] } error: Assertion
entry indices (is: []i64) (xs: []i32) = map (\i -> xs[i]) is
entry later (xs: []i32) = map (\x -> 100 / x) xs
entry guarded [n] (is: []i64) (xs: [n]i32) = map (\i -> if i >= 0 && i < n then xs[i] else 0) is
entry in_loop (ns: []i64) (xs: []i32) = map (\n -> loop s = 0 for k < n do s + xs[k]) ns
entry many (n: i64) =
  let xs = map (\i -> (i * 7) % n) (iota n)
  in i64.sum (map (\x -> xs[x]) xs)
entry said (xs: []i32) = map (\x -> assert (x < 7 || false) x) xs
