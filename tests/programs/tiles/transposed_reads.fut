-- SPDX-License-Identifier: Apache-2.0
-- Loops inside a map over rows: read often, the rows are copied transposed before; read once, not.
-- ==
-- entry: nearest_all
-- input { [[0f32,0],[10,0],[0,10]] [[1f32,1],[9,2],[3,8],[0,0],[10,10]] } output { [0i64,1,2,0,1] }
-- input { [[0f32,0]] empty([0][2]f32) } output { empty([0]i64) }
-- ==
-- entry: rounds
-- input { 3i32 [[1i64,2,3],[4,5,6]] } output { 258i64 }
-- input { 0i32 [[1i64,2,3],[4,5,6]] } output { 0i64 }
-- ==
-- entry: once
-- input { [[1f32,2,3],[4,5,6]] } output { [4.25f32,9.5] }
-- ==
-- entry: sizes
-- input { } output { true }
-- ==
-- entry: deep
-- input { [[[1i32,2],[3,4]],[[5,6],[7,8]]] 5i32 } output { [[30i32,70],[110,150]] }

def nearest [k] [d] (cs: [k][d]f32) (p: [d]f32) : i64 =
  let distance c = loop acc = 0 for j < d do acc + (c[j] - p[j]) * (c[j] - p[j])
  in (loop (least, best) = (f32.inf, 0i64) for i < k do
        let t = distance cs[i]
        in if t < least then (t, i) else (least, best)).1

entry nearest_all [n] [k] [d] (cs: [k][d]f32) (points: [n][d]f32) : [n]i64 = map (nearest cs) points

-- The copy is made before the loop.
entry rounds [n] [m] (steps: i32) (xs: [n][m]i64) : i64 =
  loop total = 0 for i < steps do
    total + i64.sum (map (\row -> loop acc = 0 for x in row do acc * 2 + x * i64.i32 (i + 1)) xs)

entry once [n] [m] (xs: [n][m]f32) : [n]f32 = map (\row -> loop acc = 0 for x in row do acc * 0.5 + x) xs

-- The row of the middle dimension, several times.
entry deep [n] [m] [k] (xs: [n][m][k]i32) (times: i32) : [n][m]i32 =
  map (map (\row -> loop acc = 0 for i < times do loop acc = acc for x in row do acc + x * (i + i32.i64 k - 2))) xs

entry sizes : bool =
  loop ok = true for n < 40 do
    let d = n % 7
    let points = loop ps = replicate n (replicate d 0f32)
                 for i < n do ps with [i] = map (\j -> f32.i64 ((i * 7 + j * 3) % 11)) (iota d)
    let cs = take (i64.min n 5) points
    let one_by_one = loop ys = replicate n 0 for i < n do ys with [i] = nearest cs points[i]
    in ok && and (map2 (==) (map (nearest cs) points) one_by_one)
