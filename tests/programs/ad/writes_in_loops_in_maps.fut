-- SPDX-License-Identifier: Apache-2.0
-- Iterations of nests and loops that write to computed places and compute something besides.  On devices
-- the writes are kernels of their own, which get what they need from the code around them or compute it again.

-- <v, J u> = <J' v, u>.
def close (left: f64) (right: f64) = f64.abs (left - right) <= 1e-9 * (1 + f64.abs left)

def numbers (n: i64) = map (\i -> f64.i64 (i * 7 % 11) / 8 + 0.25) (iota n)

-- A loop in a map in a map, and a branch that only sometimes reads.
def deep [n] [m] (k: i64) (xs: [n][3]f64) (table: [m]f64) : [n]f64 =
  map (\row ->
         let each x = loop y = x for i < k do
                        y * 0.5 + (if i % 2 == 0 then table[i64.f64 (f64.abs y) % m] * x else x)
         in f64.product (map each row))
      xs

-- ==
-- entry: loops_in_maps
-- input { [0i64, 1i64, 70i64, 1000i64] [3i64, 0i64, 5i64, 8i64] [1i64, 2i64, 3i64, 40i64] } output { [true, true, true, true] }
entry loops_in_maps (ns: [4]i64) (ks: [4]i64) (ms: [4]i64) : [4]bool =
  loop ok = replicate 4 false for j < 4 do
    let (xs, table) = (unflatten (numbers (ns[j] * 3)), numbers ms[j])
    let along = jvp (\(a, b) -> deep ks[j] a b) (xs, table) (xs, table)
    let (dx, dt) = vjp (\(a, b) -> deep ks[j] a b) (xs, table) (replicate ns[j] 1)
    in ok with [j] = close (f64.sum along) (f64.sum (map2 (*) (flatten dx) (flatten xs)) + f64.sum (map2 (*) dt table))
