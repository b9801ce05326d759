-- SPDX-License-Identifier: Apache-2.0
-- The price of an Asian option, by simulation with normally distributed steps.
def hash (x: u32) : u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)

def uniform (x: u32) : f32 = (f32.u32 (hash x >> 8) + 0.5) / 16777216

def path (steps: i32) (i: i64) : f32 =
  let dt = 1 / f32.i32 steps
  let (drift, spread) = ((0.02 - 0.5 * 0.3 * 0.3) * dt, 0.3 * f32.sqrt dt)
  let (_, total) =
    loop (price, total) = (100, 0) for k < steps do
      let seed = u32.i64 i * 2 * u32.i32 steps + 2 * u32.i32 k
      let normal = f32.sqrt (-2 * f32.log (uniform seed)) * f32.cos (6.2831853 * uniform (seed + 1))
      let price = price * f32.exp (drift + spread * normal)
      in (price, total + price)
  in f32.max 0 (total / f32.i32 steps - 100)

def main (paths: i64) (steps: i32) : f32 =
  f32.sum (map (path steps) (iota paths)) / f32.i64 paths
