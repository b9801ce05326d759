-- SPDX-License-Identifier: Apache-2.0
-- Functions on f32 in vectors: at most one unit in the last place from the f64 function, over their whole range.

-- How many units in the last place `got` is away from `want`.
def ulps (got: f32) (want: f64) : f64 =
  let near = f32.f64 want
  in if got == near || (f32.isnan got && f32.isnan near) then 0
     else let exponent = f64.max (-126) (f64.floor (f64.log2 (f64.abs want)))
          in f64.abs (f64.f32 got - want) / 2 ** (exponent - 23)

def is_close [n] (got: [n]f32) (want: [n]f64) : bool =
  and (map2 (\g w -> let u = ulps g w in u <= 1) got want)

-- All kinds of numbers: tiny, huge, negative, infinite, none.
def any_bits (n: i64) : [n]f32 = map (\i -> f32.from_bits (u32.i64 (i * 2654435761 % 4294967296))) (iota n)
def between (n: i64) (low: f32) (high: f32) : [n]f32 = map (\i -> low + (high - low) * f32.i64 i / f32.i64 n) (iota n)

def agrees [n] (f: f32 -> f32) (g: f64 -> f64) (xs: [n]f32) : bool =
  is_close (opaque (map f xs)) (map (\x -> g (f64.f32 x)) xs)

-- (The C library's logarithms are not always that good, and devices may take four.)
-- ==
-- tags { no_opencl no_cuda }
-- entry: circles exponentials logarithms powers
-- compiled input { 100003i64 } output { true }
entry circles (n: i64) : bool =
  agrees f32.sin f64.sin (between n (-4000) 4000) && agrees f32.cos f64.cos (between n (-4000) 4000)
  && agrees f32.sin f64.sin (any_bits n) && agrees f32.cos f64.cos (any_bits n)

entry exponentials (n: i64) : bool =
  agrees f32.exp f64.exp (between n (-110) 95) && agrees f32.exp f64.exp (any_bits n)

entry logarithms (n: i64) : bool =
  agrees f32.log f64.log (between n 0.4 2.5) && agrees f32.log f64.log (any_bits n)
  && agrees f32.log2 f64.log2 (between n 0.4 2.5) && agrees f32.log2 f64.log2 (any_bits n)
  && agrees f32.log10 f64.log10 (between n 0.4 2.5) && agrees f32.log10 f64.log10 (any_bits n)

entry powers (n: i64) : bool =
  let close xs ys = is_close (opaque (map2 (**) xs ys)) (map2 (\x y -> f64.f32 x ** f64.f32 y) xs ys)
  in close (any_bits n) (reverse (any_bits n))
     && close (map (% 40) (between n 0 3000)) (map (\x -> x * 7 % 60 - 30) (between n 0 3000))

-- Zeros have signs.
-- ==
-- entry: zeros
-- input { 9i64 } output { [-f32.inf, -f32.inf, -f32.inf, -f32.inf, -f32.inf, -f32.inf, -f32.inf, -f32.inf, -f32.inf] }
entry zeros (n: i64) : []f32 = map (\x -> 1 / f32.sin x) (opaque (replicate n (-0.0)))
