-- SPDX-License-Identifier: Apache-2.0
-- Iterations that write in branches, in loops whose number of rounds they compute, in while loops and in functions.

def numbers (n: i64) = map (\i -> f64.i64 (i * 7 % 11) / 8 + 0.25) (iota n)
def close (left: f64) (right: f64) = f64.abs (left - right) <= 1e-9 * (1 + f64.abs left)

-- <v, J u> = <J' v, u>.
def transposes [n] [m] (f: [n]f64 -> [m]f64 -> [n]f64) (xs: [n]f64) (table: [m]f64) =
  let along = jvp (\(a, b) -> f a b) (xs, table) (xs, table)
  let (dx, dt) = vjp (\(a, b) -> f a b) (xs, table) (replicate n 1)
  in close (f64.sum along) (f64.sum (map2 (*) dx xs) + f64.sum (map2 (*) dt table))

-- Both sides read, one of them in a map around a sum.
def sums [n] [m] (k: i64) (xs: [n]f64) (table: [m]f64) =
  map (\x -> if x > 0.7 then f64.exp (0.1 * x * f64.sum (map (\j -> table[(j * 3) % m] * x) (iota k)))
             else if x > 0.4 then table[i64.f64 (x * 8) % m] * x else x) xs

def loops [n] [m] (k: i64) (xs: [n]f64) (table: [m]f64) =
  map (\x -> if x > 0.7 then loop y = x for i < k do y * 0.5 + table[(i64.f64 (f64.abs y) + i) % m] * x
             else f64.sum (map (\j -> table[j % m]) (iota k)) * x) xs

-- A branch in a loop in a branch.
def nested [n] [m] (k: i64) (xs: [n]f64) (table: [m]f64) =
  map (\x -> if x > 0.5
             then loop y = x for i < k do
                    if y > 0.6 then y * 0.5 + f64.product (map (\j -> table[(i + j) % m]) (iota 3)) else y + 0.1
             else x) xs

def own_bounds [n] [m] (k: i64) (xs: [n]f64) (table: [m]f64) =
  map (\x -> loop s = x for i < i64.f64 (x * 4) % (k + 1) do s * 0.5 + table[(i64.f64 (f64.abs s) + i) % m] * x) xs

def whiles [n] [m] (k: i64) (xs: [n]f64) (table: [m]f64) =
  map (\x -> (loop (y, s) = (x, 0) while y < f64.i64 k do
                let t = table[i64.f64 (y * 7) % m]
                in (y + 0.5 + t * t, s + t * y)).1) xs

#[noinline]
def walk [m] (k: i64) (table: [m]f64) (x: f64) =
  loop y = x for i < k do y * 0.5 + table[i64.f64 (f64.abs y) % m] * x
def calls [n] [m] (k: i64) (xs: [n]f64) (table: [m]f64) = map (walk k table) xs

-- A table that all calls hand on.
def descend [m] (table: [m]f64) (k: i64) (x: f64) : f64 =
  if k == 0 then x else descend table (k - 1) (x * 0.5 + table[i64.f64 (f64.abs x) % m] * x)
def recursion [n] [m] (k: i64) (xs: [n]f64) (table: [m]f64) = map (descend table k) xs

def by_sizes (f: (n: i64) -> (m: i64) -> i64 -> [n]f64 -> [m]f64 -> [n]f64) (ns: [4]i64) (ks: [4]i64) (ms: [4]i64) =
  loop ok = replicate 4 false for j < 4 do
    ok with [j] = transposes (f ns[j] ms[j] ks[j]) (numbers ns[j]) (numbers ms[j])

-- ==
-- entry: in_sums in_loops in_nested in_own_bounds in_whiles in_calls in_recursion
-- input { [0i64, 1i64, 70i64, 1000i64] [3i64, 0i64, 5i64, 8i64] [1i64, 2i64, 3i64, 40i64] } output { [true, true, true, true] }
entry in_sums = by_sizes (\n m k (xs: [n]f64) (t: [m]f64) -> sums k xs t)
entry in_loops = by_sizes (\n m k (xs: [n]f64) (t: [m]f64) -> loops k xs t)
entry in_nested = by_sizes (\n m k (xs: [n]f64) (t: [m]f64) -> nested k xs t)
entry in_own_bounds = by_sizes (\n m k (xs: [n]f64) (t: [m]f64) -> own_bounds k xs t)
entry in_whiles = by_sizes (\n m k (xs: [n]f64) (t: [m]f64) -> whiles k xs t)
entry in_calls = by_sizes (\n m k (xs: [n]f64) (t: [m]f64) -> calls k xs t)
entry in_recursion = by_sizes (\n m k (xs: [n]f64) (t: [m]f64) -> recursion k xs t)

-- The table outside of a map, and twice in one call.
-- ==
-- entry: one_call
-- input { 5i64 } output { true }
entry one_call (k: i64) =
  let table = numbers 9
  let f (x, t) = descend t k x + descend t (k - 1) (x * x)
  let along = jvp f (0.7, table) (0.7, table)
  let (dx, dt) = vjp f (0.7, table) 1
  in close along (dx * 0.7 + f64.sum (map2 (*) dt table))
