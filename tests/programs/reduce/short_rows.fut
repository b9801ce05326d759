-- SPDX-License-Identifier: Apache-2.0
-- Reductions of many short rows, some of them side by side: all numbers of rows around the size of a group, rows of every length.

-- Row by row, element by element.
def slow [n] [m] (xss: [n][m]i32) : [n]i32 =
  map (\xs -> loop s = 0 for j < m do s * 3 + xs[j]) xss

-- ==
-- entry: sums
-- input { 0i64 5i64 } output { true }
-- input { 1i64 5i64 } output { true }
-- input { 3i64 5i64 } output { true }
-- input { 4i64 5i64 } output { true }
-- input { 5i64 1i64 } output { true }
-- input { 7i64 0i64 } output { true }
-- input { 1001i64 10i64 } output { true }
-- input { 1002i64 63i64 } output { true }
-- input { 1003i64 64i64 } output { true }
-- input { 50i64 65i64 } output { true }
-- input { 100003i64 3i64 } output { true }
entry sums (n: i64) (m: i64) : bool =
  let xss = tabulate_2d n m (\i j -> i32.i64 (i * 7 + j * 3) % 101)
  let added = map i32.sum xss
  let fine = map f64.sum (map (map f64.i32) xss)
  -- Not commutative: (a, s) stands for x -> a * x + s.
  let (_, folded) = unzip (map (\xs -> reduce (\(a, s) (b, t) -> (a * b, s * b + t)) (1, 0) (map (\x -> (3, x)) xs)) xss)
  let (most, at) = unzip (map (\xs -> reduce (\(x, i) (y, j) -> if y > x then (y, j) else (x, i)) (i32.lowest, -1) (zip xs (indices xs))) xss)
  in and (map2 (\a xs -> a == loop s = 0 for x in xs do s + x) added xss)
     && and (map2 (\a b -> f64.i32 a == b) added fine)
     && and (map2 (==) folded (slow xss))
     && and (map3 (\x i xs -> if m == 0 then i == -1 else xs[i] == x && all (<= x) xs) most at xss)

-- ==
-- entry: constant_rows
-- input { 6i64 } output { [10f32, 26f32, 42f32, 58f32, 74f32, 90f32] }
entry constant_rows (n: i64) : [n]f32 =
  map f32.sum (tabulate_2d n 4 (\i j -> f32.i64 (4 * i + j + 1)))
