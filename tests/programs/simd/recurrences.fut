-- SPDX-License-Identifier: Apache-2.0
-- Loops in which each iteration needs what the one before has stored: lanes run several rows of them at a time.

def solve [m] (a: [m]f32) (b: [m]f32) (y: [m]f32) : [m]f32 =
  let c = replicate m (a[0] / b[0])
  let d = replicate m (y[0] / b[0])
  let (c, d) =
    loop (c, d) for i in 1..<m do
      let f = 1 / (b[i] - a[i] * c[i - 1])
      let c[i] = a[i] * f
      let d[i] = (y[i] - a[i] * d[i - 1]) * f
      in (c, d)
  let x = copy d
  in loop x for i in reverse (iota (m - 1)) do x with [i] = d[i] - c[i] * x[i + 1]

-- ==
-- entry: main
-- input { 0i64 5i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 7i64 3i64 } output { true }
-- input { 37i64 115i64 } output { true }
entry main (n: i64) (m: i64) : bool =
  let make k = tabulate_2d n m (\i j -> f32.i64 ((i * 7 + j * k) % 11) + f32.i64 k)
  let (as, bs, ys) = (make 1, map (map (* 3)) (make 5), make 2)
  let rows = #[sequential_inner] map3 solve as bs ys
  let one_by_one = loop xss = replicate n (replicate m 0) for i < n do xss with [i] = solve as[i] bs[i] ys[i]
  in and (map2 (\xs zs -> and (map2 (==) xs zs)) rows one_by_one)
