-- SPDX-License-Identifier: Apache-2.0
-- Loops in loops share the blocks that take turns.
-- ==
-- entry: twice
-- input { 3 2 [1, 2, 3, 4, 5] } output { [5, 1, 2, 3, 4] }
-- input { 3 0 [1, 2, 3, 4, 5] } output { [1, 2, 3, 4, 5] }
-- input { 0 3 [1, 2, 3, 4, 5] } output { [1, 2, 3, 4, 5] }
-- input { 1 1 [1, 2, 3, 4, 5] } output { [5, 1, 2, 3, 4] }
-- input { 2 3 [1, 2, 3, 4, 5] } output { [5, 1, 2, 3, 4] }

let step [n] (xs: [n]i32) = tabulate n (\i -> xs[(i - 1) % n])

entry twice [n] (k: i32) (l: i32) (xs: [n]i32) : [n]i32 =
  loop ys = xs for _i < k do loop ys for _j < l do step ys

-- ==
-- entry: started
-- input { 3 2 [1, 2, 3] } output { [7, 8, 9] }
-- input { 3 0 [1, 2, 3] } output { [4, 5, 6] }
-- input { 2 1 [1, 2, 3] } output { [4, 5, 3] }

-- The inner loop begins with a new array.
entry started [n] (k: i32) (l: i32) (xs: [n]i32) : [n]i32 =
  loop ys = xs for _i < k do
    let zs = map (+ 1) ys
    in loop zs for j < l do map (\z -> z + j) (step zs)

-- ==
-- entry: kept
-- input { 3 2 [1, 2, 3] } output { [17, 16, 15] }
-- input { 3 0 [1, 2, 3] } output { [8, 16, 24] }

-- The outer value is used after the inner loop, so the inner loop must not write over it.
entry kept [n] (k: i32) (l: i32) (xs: [n]i32) : [n]i32 =
  loop ys = xs for _i < k do
    let zs = loop zs = ys for _j < l do step zs
    in map2 (+) ys zs

-- ==
-- entry: sequence
-- input { 4 3 [1, 2, 3, 4] } output { [2, 3, 4, 1] [7, 11, 15, 7] }
entry sequence [n] (k: i32) (l: i32) (xs: [n]i32) : ([n]i32, [n]i32) =
  let ys = loop ys = xs for _i < k - 1 do step ys
  let ss =
    loop ss = replicate n 0i32 for i < k do
      let zs = loop zs = ys for _j < (if i == 0 then 0 else l) do step zs
      let us = loop us = zs for _j < i do step (step us)
      in map2 (+) ss (loop us for _j < i * 2 + 1 do step us)
  in (ys, ss)

-- ==
-- entry: growing
-- input { 4 [1] } output { [1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5] }
entry growing (k: i64) (xs: []i32) : []i32 =
  loop ys = xs for i < k do
    let zs = map (+ 1) ys
    in (ys ++ zs) :> [length ys + length zs]i32

-- ==
-- entry: rows
-- input { 3 [[1, 2, 3], [4, 5, 6]] } output { [[2, 3, 1], [5, 6, 4]] [6, 15] }

-- Loops in kernels have blocks of their own.
entry rows [n] [m] (k: i32) (xss: [n][m]i32) : ([n][m]i32, [n]i32) =
  unzip (map (\xs ->
                let ys = #[sequential] loop ys = xs for _i < k - 1 do #[sequential] step ys
                let zs = #[sequential] loop zs = ys for i < k do
                           if i % 2 == 0 then #[sequential] step zs else #[sequential] map (+ 0) (step (step zs))
                in (ys, #[sequential] i32.sum zs)) xss)
