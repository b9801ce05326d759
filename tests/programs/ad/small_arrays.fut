-- SPDX-License-Identifier: Apache-2.0
-- Small arrays that iterations make and update at constant places, and elements of rows at constant places.

def f (c: [5]f64) (p: [3]f64) : f64 =
  let d = (copy p) with [1] = c[0] * p[2]
  let e = d with [1] = d[1] + c[4] * c[4]
  let g = e with [0] = if p[0] > 0.5 then f64.sin (c[1] * e[1]) else f64.cos (c[2]) * f64.sqrt c[3]
  in g[0] * g[1] + f64.sum g

def value [n] [m] (cs: [n][5]f64) (ps: [m][3]f64) (at: [m]i64) = map2 (\i p -> f cs[i] p) at ps

-- ==
-- entry: agrees
-- input { 4i64 40i64 } output { true }
-- input { 1i64 0i64 } output { true }
entry agrees (n: i64) (m: i64) =
  let cs = tabulate_2d n 5 (\i j -> f64.i64 (1 + (i * 3 + j * 5) % 7) / 5)
  let ps = tabulate_2d m 3 (\i j -> f64.i64 ((i * 5 + j * 3) % 8) / 7)
  let at = map (\i -> i * 3 % n) (iota m)
  let along = jvp (\(a, b) -> value a b at) (cs, ps) (cs, ps)
  let (dc, dp) = vjp (\(a, b) -> value a b at) (cs, ps) (replicate m 1)
  let right = f64.sum (map2 (*) (flatten dc) (flatten cs)) + f64.sum (map2 (*) (flatten dp) (flatten ps))
  in f64.abs (f64.sum along - right) <= 1e-9 * (1 + f64.abs right)

-- ==
-- entry: rows
-- input { [1, 2, 3] } output { [[0, 1, 0, 7], [0, 2, 0, 8], [0, 3, 0, 9]] [[1, 1], [2, 2], [3, 3]] }
entry rows (xs: []i32) =
  unzip (map (\x -> let a = replicate 4 0
                    let b = a with [1] = x
                    let c = b with [3] = b[1] + 6
                    let d = [x, c[2]] with [1] = c[1] + c[0]
                    in (c, d)) xs)

-- A place that is computed, and one after a branch.
-- ==
-- entry: others
-- input { [0i64, 1i64, 2i64] } output { [[5i64, 2i64, 2i64], [2i64, 5i64, 3i64], [4i64, 2i64, 5i64]] }
entry others (is: []i64) =
  map (\i -> let a = replicate 3 2
             let b = a with [2] = a[0] + i
             let c = if i == 2 then b with [0] = b[2] else b
             in c with [i] = 5) is
