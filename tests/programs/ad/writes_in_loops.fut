-- SPDX-License-Identifier: Apache-2.0
-- Iterations of nests and loops that write to computed places and compute something besides.  On devices
-- the writes are kernels of their own, which get what they need from the code around them or compute it again.

-- <v, J u> = <J' v, u>.
def close (left: f64) (right: f64) = f64.abs (left - right) <= 1e-9 * (1 + f64.abs left)

def numbers (n: i64) = map (\i -> f64.i64 (i * 7 % 11) / 8 + 0.25) (iota n)

-- A loop that carries a number; where it reads depends on the number.
def walk [n] [m] (k: i64) (xs: [n]f64) (table: [m]f64) : [n]f64 =
  map (\x ->
         loop y = x for i < k do
           let at = (i + i64.f64 (f64.abs y * 4)) % m
           in 0.5 * y + table[at] * f64.sin y)
      xs

-- ==
-- entry: loops
-- input { [0i64, 1i64, 37i64, 2000i64] [3i64, 0i64, 5i64, 9i64] [1i64, 2i64, 300i64, 17i64] } output { [true, true, true, true] }
entry loops (ns: [4]i64) (ks: [4]i64) (ms: [4]i64) : [4]bool =
  loop ok = replicate 4 false for j < 4 do
    let (xs, table) = (numbers ns[j], numbers ms[j])
    let along = jvp (\(a, b) -> walk ks[j] a b) (xs, table) (xs, table)
    let (dx, dt) = vjp (\(a, b) -> walk ks[j] a b) (xs, table) (numbers ns[j])
    in ok with [j] = close (f64.sum (map2 (*) along (numbers ns[j]))) (f64.sum (map2 (*) dx xs) + f64.sum (map2 (*) dt table))
