-- SPDX-License-Identifier: Apache-2.0
-- For a function f at x and any u, v: ⟨v, J u⟩ = ⟨Jᵀ v, u⟩, and J u is near a central difference.  Other programs import this.
-- ==
-- input { 3i64 } output { true }

def dot [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)
def pseudo (n: i64) (seed: i64) : [n]f64 =
  map (\i -> f64.i64 ((i * 7919 + seed * 104729 + 31) % 1009) / 1009 + 0.25) (iota n)

def near (a: f64) (b: f64) : bool = f64.abs (a - b) <= 1e-5 * (1 + f64.abs a + f64.abs b)

def check [n] [m] (f: [n]f64 -> [m]f64) : bool =
  let x = pseudo n 1
  let u = pseudo n 2
  let v = pseudo m 3
  let (y, forward) = jvp2 f x u
  let (y2, reverse) = vjp2 f x v
  let h = 1e-6
  let step s = f (map2 (\x u -> x + s * u) x u)
  let slope = map2 (\a b -> (a - b) / (2 * h)) (step h) (step (-h))
  in and (map2 near y y2) && and (map2 near y (f x)) && near (dot v forward) (dot reverse u) && and (map2 near forward slope)

def main (n: i64) = check (\(x: [n]f64) -> map (\y -> y * y) x)
