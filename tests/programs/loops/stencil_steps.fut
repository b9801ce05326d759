-- SPDX-License-Identifier: Apache-2.0
-- A loop around a stencil does several steps in one launch on devices (gpu/steps).  Each point of each step is what it is without a loop, bit by bit.
-- ==
-- entry: heat life heat_f64
-- compiled input { 40i64 50i64 7i32 } output { 0i64 }
-- compiled input { 300i64 700i64 -3i32 } output { 0i64 }
-- compiled input { 500i64 700i64 6i32 } output { 0i64 }
-- large compiled input { 32000i64 300i64 7i32 } output { 0i64 }
-- large compiled input { 300i64 60000i64 4i32 } output { 0i64 }
-- large compiled input { 1100i64 16000i64 3i32 } output { 0i64 }
-- large compiled input { 32000i64 300i64 -3i32 } output { 0i64 }

-- How many elements differ after so many steps, at most seven.
def differ 't [n][m] (same: t -> t -> bool) (step: [n][m]t -> [n][m]t) (steps: i32) (a: [n][m]t) : i64 =
  let looped = loop b = copy a for _i < steps do step b
  let once k b = if k < steps then step b else b
  let apart = opaque a |> once 0 |> opaque |> once 1 |> opaque |> once 2 |> opaque |> once 3 |> opaque |> once 4 |> opaque |> once 5 |> opaque |> once 6
  in map2 (map2 (\x y -> i64.bool (!(same x y)))) looped apart |> flatten |> i64.sum

def random (i: i64) (j: i64) : u32 = (u32.i64 i * 2654435761 + u32.i64 j * 40503) ^ (u32.i64 (i * j) >> 3)

def heat_step [n][m] (a: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
                     if i == 0 || j == 0 || i == n - 1 || j == m - 1 then a[i, j]
                     else a[i, j] + 0.1 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4 * a[i, j]))
entry heat (n: i64) (m: i64) (steps: i32) : i64 =
  differ (\x y -> f32.to_bits x == f32.to_bits y) heat_step steps (tabulate_2d n m (\i j -> f32.u32 (random i j % 1000)))

entry heat_f64 (n: i64) (m: i64) (steps: i32) : i64 =
  let step [n][m] (a: [n][m]f64) : [n][m]f64 =
    tabulate_2d n m (\i j -> if i == 0 || j < 1 then a[i, j] / 2
                             else if i > n - 2 || j > m - 2 then 0.5 - a[i, j]
                             else 0.25 * (a[i - 1, j - 1] + a[i + 1, j - 1] + a[i - 1, j + 1] + a[i + 1, j + 1]))
  in differ (\x y -> f64.to_bits x == f64.to_bits y) step steps (tabulate_2d n m (\i j -> f64.u32 (random i j % 1000)))

entry life (n: i64) (m: i64) (steps: i32) : i64 =
  let step [n][m] (a: [n][m]i8) : [n][m]i8 =
    tabulate_2d n m (\i j ->
                       if i > 0 && j > 0 && i + 1 < n && j + 1 < m
                       then let s = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                            in i8.bool (s == 3 || (s == 2 && a[i, j] == 1))
                       else 0)
  in differ (==) step steps (tabulate_2d n m (\i j -> i8.u32 (random i j % 2)))
