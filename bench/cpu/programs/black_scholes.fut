-- SPDX-License-Identifier: Apache-2.0
-- Prices of European call and put options.
def cnd (d: f32) : f32 =
  let k = 1 / (1 + 0.2316419 * f32.abs d)
  let p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  let c = 0.39894228 * f32.exp (-0.5 * d * d) * p
  in if d > 0 then 1 - c else c

def option (s: f32) (x: f32) (t: f32) : (f32, f32) =
  let (r, v) = (0.02, 0.3)
  let root = f32.sqrt t
  let d1 = (f32.log (s / x) + (r + 0.5 * v * v) * t) / (v * root)
  let d2 = d1 - v * root
  let discounted = x * f32.exp (-r * t)
  let (a, b) = (cnd d1, cnd d2)
  in (s * a - discounted * b, discounted * (1 - b) - s * (1 - a))

def main [n] (s: [n]f32) (x: [n]f32) (t: [n]f32) : ([n]f32, [n]f32) = unzip (map3 option s x t)
