-- SPDX-License-Identifier: Apache-2.0
-- Functions on special values, in loops long enough for whole vectors and a rest.
-- ==
-- entry: special
-- input { [0f64,-0.0,1,-1,f64.inf,-f64.inf,f64.nan,1e-310,2,0.5,1e300] } output { true }
-- ==
-- entry: special32
-- input { [0f32,-0.0,1,-1,f32.inf,-f32.inf,f32.nan,1e-40,2,0.5,1e30] } output { true }
-- ==
-- entry: position
-- input { } output { true }
def same (a: f64) (b: f64) = (f64.isnan a && f64.isnan b) || a == b || f64.abs (a - b) <= 1e-322 ||
  f64.abs (a - b) <= 4e-15 * f64.max (f64.abs a) (f64.abs b)
def same32 (a: f32) (b: f32) = (f32.isnan a && f32.isnan b) || a == b || f32.abs (a - b) <= 3e-45 ||
  f32.abs (a - b) <= 1e-6 * f32.max (f32.abs a) (f32.abs b)
-- One element at a time and all at once.
entry special [n] (xs: [n]f64) =
  let f x = [f64.exp x, f64.log x, f64.sin x, f64.cos x, f64.tan x, f64.atan x, f64.asin x, f64.acos x,
             f64.sinh x, f64.cosh x, f64.tanh x, f64.sqrt x, f64.log2 x, f64.log10 x, f64.cbrt x, f64.erf x,
             x ** 2, x ** 0.5, x ** -1, 2 ** x, x ** 0, f64.atan2 x 1, f64.atan2 (-0.0) x, f64.hypot x 1,
             f64.asinh x, f64.acosh x, f64.atanh x, f64.gamma x, f64.log1p x, f64.erfc x]
  let all_at_once = map f xs
  let one_by_one = loop ys = replicate n (replicate 30 0) for i < n do
                     let y = f (opaque xs[i]) in ys with [i] = y
  in and (flatten (map2 (map2 same) all_at_once one_by_one))
entry special32 [n] (xs: [n]f32) =
  let f x = [f32.exp x, f32.log x, f32.sin x, f32.cos x, f32.tan x, f32.atan x, f32.asin x, f32.acos x,
             f32.sinh x, f32.cosh x, f32.tanh x, f32.sqrt x, f32.log2 x, f32.log10 x, f32.cbrt x, f32.erf x,
             x ** 2, x ** 0.5, x ** -1, 2 ** x, x ** 0, f32.atan2 x 1, f32.atan2 (-0.0) x, f32.hypot x 1,
             f32.asinh x, f32.acosh x, f32.atanh x, f32.gamma x, f32.log1p x, f32.erfc x]
  let all_at_once = map f xs
  let one_by_one = loop ys = replicate n (replicate 30 0) for i < n do
                     let y = f (opaque xs[i]) in ys with [i] = y
  in and (flatten (map2 (map2 same32) all_at_once one_by_one))
-- A value does not depend on where it stands.
entry position : bool =
  let xs = map (\i -> if i % 2 == 0 then 1.25f32 else 0.3) (iota 39)
  let ys = map (\x -> f32.exp (f32.sin x) ** 1.7) xs
  in and (map2 (\i y -> y == ys[i % 2]) (iota 39) ys)
