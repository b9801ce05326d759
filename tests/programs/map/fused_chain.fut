-- SPDX-License-Identifier: Apache-2.0
-- A chain of maps and one reduction; a compiler may make one loop of it.

-- ==
-- input { [1f64, 4f64, 9f64] } output { 12f64 }
-- input { empty([0]f64) } output { 0f64 }
entry main [n] (xs: [n]f64) : f64 =
  xs |> map f64.sqrt |> map (* 2) |> map (\x -> x + 0) |> reduce (+) 0

-- Two consumers of one producer.
-- ==
-- entry: shared
-- input { [1i32, 2i32, 3i32] } output { 12i32 48i32 }
entry shared [n] (xs: [n]i32) : (i32, i32) =
  let ys = map (* 2) xs
  in (reduce (+) 0 ys, reduce (*) 1 ys)
