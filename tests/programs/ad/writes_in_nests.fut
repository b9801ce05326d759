-- SPDX-License-Identifier: Apache-2.0
-- Iterations of nests and loops that write to computed places and compute something besides.  On devices
-- the writes are kernels of their own, which get what they need from the code around them or compute it again.

-- <v, J u> = <J' v, u>.
def close (left: f64) (right: f64) = f64.abs (left - right) <= 1e-9 * (1 + f64.abs left)

def numbers (n: i64) = map (\i -> f64.i64 (i * 7 % 11) / 8 + 0.25) (iota n)

-- Two tables, a map inside with a sum and rows, a write before and one after it.
def mixed [n] [k] [m] (xs: [n]f64) (at: [n][k]i64) (a: [m]f64) (b: [m][2]f64) : ([n]f64, [n][k]f64) =
  unzip (map2 (\x row ->
                 let first = a[i64.f64 x % m]
                 let ys = map (\p -> b[p, 0] * x + b[p, 1] * first * f64.exp (-x)) row
                 let last = a[i64.f64 (2 * x) % m]
                 in (last * f64.sum ys, map (* first) ys))
              xs at)

-- ==
-- entry: nests
-- input { [0i64, 1i64, 40i64, 1500i64] [3i64, 0i64, 5i64, 33i64] [1i64, 2i64, 3i64, 700i64] } output { [true, true, true, true] }
entry nests (ns: [4]i64) (ks: [4]i64) (ms: [4]i64) : [4]bool =
  loop ok = replicate 4 false for j < 4 do
    let (n, k, m) = (ns[j], ks[j], ms[j])
    let at = tabulate_2d n k (\i l -> (i * 3 + l * l) % m)
    let (xs, a, b) = (numbers n, numbers m, unflatten (numbers (m * 2)))
    let (u, v) = jvp (\(x, y, z) -> mixed x at y z) (xs, a, b) (xs, a, b)
    let (dx, da, db) = vjp (\(x, y, z) -> mixed x at y z) (xs, a, b) (replicate n 1, replicate n (replicate k 0.5))
    in ok with [j] = close (f64.sum u + 0.5 * f64.sum (flatten v))
                           (f64.sum (map2 (*) dx xs) + f64.sum (map2 (*) da a) + f64.sum (map2 (*) (flatten db) (flatten b)))

-- What is read outside of the table is still an error.
-- ==
-- entry: outside
-- input { [0i64, 1i64, 2i64] } output { [1f64, 1f64, 1f64] 2f64 }
-- input { [0i64, 3i64, 2i64] } error: out of bounds
-- input { [0i64, -1i64, 2i64] } error: out of bounds
entry outside (at: [3]i64) : ([3]f64, f64) =
  vjp (\(table, x) -> map (\p -> loop y = 0 for i < 2 do y + table[p] * f64.i64 i * x) at) ([0f64, 1, 1], 1) (replicate 3 1)
