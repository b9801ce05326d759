-- SPDX-License-Identifier: Apache-2.0
-- Scatters whose places are known when the program is compiled.
-- ==
-- entry: same
-- input { [9, 9, 9] [1, 2, 3] } output { [2, 3, 4] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) }
-- ==
-- entry: back
-- input { [9, 9, 9] [1, 2, 3] } output { [3, 2, 1] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) }
-- ==
-- entry: back_sum
-- input { [9, 9, 9] [1, 2, 3] } output { 6 }
-- ==
-- entry: back_changed
-- input { [9, 9, 9] [1, 2, 3] } output { [7, 2, 1] }
-- ==
-- entry: back_rows
-- input { [[9, 9], [9, 9]] [1, 2] } output { [[2, 3], [1, 2]] }
-- ==
-- entry: again
-- input { [0, 0, 0, 0, 0] [0i64, 2i64, 7i64] [1, 2, 3] [4, 5, 6] } output { [4, 0, 0, 0, 5] }
-- ==
-- entry: again_one_of_two
-- input { [0, 0, 0] [0, 0, 0] [0i64, 2i64] [1, 2] [4, 5] } output { [4, 0, 5] [1, 0, 2] }
-- ==
-- entry: others
-- input { [0, 0, 0, 0] [0i64, 2i64] [1, 2] [4, 5] } output { [1, 4, 2, 5] }
-- ==
-- entry: looked
-- input { [0, 0, 0, 0] [0i64, 2i64] [1, 2] [4, 5] } output { 3 [4, 0, 5, 0] }

entry same [n] (d: *[n]i32) (vs: [n]i32) = scatter d (iota n) (map (+ 1) vs)

entry back [n] (d: *[n]i32) (vs: [n]i32) = scatter d (map (\i -> n - 1 - i) (iota n)) vs

entry back_sum [n] (d: *[n]i32) (vs: [n]i32) = scatter d (map (\i -> n - 1 - i) (iota n)) vs |> i32.sum

entry back_changed [n] (d: *[n]i32) (vs: [n]i32) = scatter d (map (\i -> n - 1 - i) (iota n)) vs with [0] = 7

entry back_rows [n] (d: *[n][2]i32) (vs: [n]i32) =
  scatter d (map (\i -> n - 1 - i) (iota n)) (map (\v -> [v, v + 1]) vs)

entry again [n][k] (d: *[k]i32) (is: [n]i64) (vs: [n]i32) (ws: [n]i32) =
  let r = scatter d (map (* 2) is) vs
  in scatter r (map (* 2) is) ws

entry again_one_of_two [n][k] (d: *[k]i32) (e: *[k]i32) (is: [n]i64) (vs: [n]i32) (ws: [n]i32) =
  let r = scatter d is vs
  let s = scatter e is vs
  in (scatter r is ws, s)

entry others [n][k] (d: *[k]i32) (is: [n]i64) (vs: [n]i32) (ws: [n]i32) =
  let r = scatter d is vs
  in scatter r (map (+ 1) is) ws

entry looked [n][k] (d: *[k]i32) (is: [n]i64) (vs: [n]i32) (ws: [n]i32) =
  let r = scatter d is vs
  let s = i32.sum r
  in (s, scatter r is ws)
