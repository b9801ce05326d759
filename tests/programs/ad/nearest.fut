-- SPDX-License-Identifier: Apache-2.0
-- The rule of a minimum or maximum of what a map with loops gives is that of one iteration.

def distance [d] (p: [d]f64) (c: [d]f64) = f64.sum (map2 (\x y -> (x - y) * (x - y)) p c)
def points (n: i64) (d: i64) = tabulate_2d n d (\i j -> f64.i64 ((i * 7 + j * 3) % 11) / 8)

def close (left: f64) (right: f64) = f64.abs (left - right) <= 1e-9 * (1 + f64.abs left)

-- ==
-- entry: gradients
-- input { [0i64, 5i64, 300i64, 4000i64] [2i64, 1i64, 4i64, 7i64] [3i64, 2i64, 0i64, 16i64] } output { [true, true, true, true] }
entry gradients (ns: [4]i64) (ks: [4]i64) (ds: [4]i64) : [4]bool =
  loop ok = replicate 4 false for j < 4 do
    let (ps, cs) = (points ns[j] ds[j], map (map (+ 0.3)) (points ks[j] ds[j]))
    let cost ps cs = map (\p -> f64.minimum (map (distance p) cs)) ps
    let along = jvp (\(a, b) -> cost a b) (ps, cs) (ps, cs)
    let (dp, dc) = vjp (\(a, b) -> cost a b) (ps, cs) (replicate ns[j] 1)
    in ok with [j] = close (f64.sum along) (f64.sum (map2 (*) (flatten dp) (flatten ps)) + f64.sum (map2 (*) (flatten dc) (flatten cs)))

-- No centre; of equal ones the first; the largest, whose elements are used again.
-- ==
-- entry: none
-- input { 3i64 } output { [0f64, 0f64, 0f64] }
entry none (n: i64) : [n]f64 =
  vjp (\p -> f64.minimum (map (distance p) (points 0 n))) (replicate n 1) 1

-- ==
-- entry: first
-- input { 3i64 } output { [[-2f64, -2f64], [0f64, 0f64], [0f64, 0f64]] }
entry first (k: i64) : [k][2]f64 =
  vjp (\cs -> f64.minimum (map (distance [1, 1]) cs)) (replicate k [0, 0]) 1

-- ==
-- entry: twice
-- input { [1f64, 3f64, 2f64] } output { [1f64, 9f64, 1f64] }
entry twice [n] (xs: [n]f64) : [n]f64 =
  vjp (\xs ->
         let ys = map (\x -> loop y = 0 for _i < 1 do y + x) xs
         in 2 * f64.maximum ys * 1 + f64.maximum (map (* 3) ys) + f64.sum ys * 1 + 3 * f64.maximum ys)
      xs 1
