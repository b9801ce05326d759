-- SPDX-License-Identifier: Apache-2.0
-- Arrays that every round of a loop replaces live in two blocks that take turns.
-- ==
-- entry: shift
-- input { 0 [1, 2, 3, 4] } output { [1, 2, 3, 4] [1, 2, 3, 4] }
-- input { 1 [1, 2, 3, 4] } output { [1, 2, 3, 4] [4, 1, 2, 3] }
-- input { 2 [1, 2, 3, 4] } output { [1, 2, 3, 4] [3, 4, 1, 2] }
-- input { 7 [1, 2, 3, 4] } output { [1, 2, 3, 4] [2, 3, 4, 1] }
-- input { 3 empty([0]i32) } output { empty([0]i32) empty([0]i32) }

-- The initial value is used afterwards.
entry shift [n] (k: i32) (xs: [n]i32) : ([n]i32, [n]i32) =
  (xs, loop ys = xs for _i < k do tabulate n (\i -> ys[(i - 1) % n]))

-- ==
-- entry: several
-- input { 0 [1, 2, 3] } output { [1, 2, 3] [1, 2, 3] [0, 0, 0] }
-- input { 1 [1, 2, 3] } output { [3, 2, 1] [1, 2, 3] [1, 2, 3] }
-- input { 3 [1, 2, 3] } output { [9, 10, 11] [4, 4, 4] [8, 8, 8] }

-- One initial value for two parameters, one of which is the other's old value.
entry several [n] (k: i32) (xs: [n]i32) : ([n]i32, [n]i32, [n]i32) =
  loop (as, bs, cs) = (xs, xs, replicate n 0) for i < k do
    (map2 (+) (reverse bs) (map (* i) cs), as, map2 (+) cs as)

-- ==
-- entry: until
-- input { [100, 7, 1] } output { 7 [0, 0, 0] }
-- input { [0, 0] } output { 0 [0, 0] }
entry until [n] (xs: [n]i32) : (i32, [n]i32) =
  let (count, ys, _) =
    loop (count, ys, go) = (0, xs, any (> 0) xs) while go do
      let zs = map (/ 2) ys
      in (count + 1, zs, any (> 0) zs)
  in (count, ys)

-- ==
-- entry: branches
-- input { 6 [1, 2, 3] } output { [12, 5, 14] }
-- input { 0 [1, 2, 3] } output { [1, 2, 3] }
entry branches [n] (k: i32) (xs: [n]i32) : [n]i32 =
  loop ys = xs for i < k do
    if i % 3 == 0 then map (+ i) (rotate 1 ys)
    else if i % 3 == 1 then ys
    else map2 (\y j -> if j == 1 then y else y * 2) ys (iota n |> map i32.i64)

-- ==
-- entry: chosen
-- input { 5 [3, 1, 2] } output { [3, 3, 3] 4 }
entry chosen [n] (k: i32) (xs: [n]i32) : ([n]i32, i32) =
  loop (ys, changes) = (xs, 0) for i < k do
    let zs = tabulate n (\j -> i32.max ys[j] ys[(j + n - 1) % n])
    in if i == 2 then (ys, changes) else (zs, changes + 1)

-- ==
-- entry: with_copy
-- input { 4 [1, 2, 3] } output { [12, 6, 8] }
entry with_copy [n] (k: i32) (xs: [n]i32) : [n]i32 =
  loop ys = xs for i < k do
    let zs = copy ys with [i64.i32 i % n] = ys[(i64.i32 i + 1) % n] * 2
    in zs
