-- SPDX-License-Identifier: Apache-2.0
-- Each rule for a scalar function: forward and reverse mode agree, and both agree with a central difference.
-- ==
-- entry: unary
-- input { 0.3 } output { true }
-- input { 0.7 } output { true }
-- input { -0.45 } output { true }
-- ==
-- entry: unary_positive
-- input { 0.3 } output { true }
-- input { 2.5 } output { true }
-- ==
-- entry: above_one
-- input { 1.5 } output { true }
-- ==
-- entry: binary
-- input { 1.3 0.7 } output { true }
-- input { 0.4 2.1 } output { true }
-- ==
-- entry: corners
-- input { } output { [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0] }

-- The two modes, and the slope between two near points.
def agree (f: f64 -> f64) (x: f64) : bool =
  let h = 1e-5
  let slope = (f (x + h) - f (x - h)) / (2 * h)
  let (y, forward) = jvp2 f x 1
  let (y2, reverse) = vjp2 f x 1
  let near a b = f64.abs (a - b) <= 1e-6 * (1 + f64.abs b)
  in y == f x && y2 == y && near forward slope && near reverse slope

entry unary (x: f64) : bool =
  agree f64.sin x && agree f64.cos x && agree f64.tan x
  && agree f64.sinpi x && agree f64.cospi x && agree f64.tanpi (x / 4)
  && agree f64.asin x && agree f64.acos x && agree f64.atan x
  && agree f64.asinpi x && agree f64.acospi x && agree f64.atanpi x
  && agree f64.sinh x && agree f64.cosh x && agree f64.tanh x
  && agree f64.asinh x && agree f64.atanh x
  && agree f64.exp x && agree f64.erf x && agree f64.erfc x
  && agree f64.log1p x && agree f64.cbrt x && agree f64.abs x && agree f64.neg x
  && agree f64.floor x && agree f64.ceil x && agree f64.trunc x && agree f64.round x && agree f64.sgn x
  && agree (\x -> if x < 0 then x * x else x * x * x) x

entry unary_positive (x: f64) : bool =
  agree f64.sqrt x && agree f64.rsqrt x && agree f64.log x && agree f64.log2 x && agree f64.log10 x
  && agree (** 2.5) x && agree (2.5 **) x && agree (\x -> x ** x) x

entry above_one (x: f64) : bool = agree f64.acosh x

entry binary (x: f64) (y: f64) : bool =
  let both f = agree (\x -> f x y) x && agree (\y -> f x y) y
  in both (+) && both (-) && both (*) && both (/) && both (**) && both (%)
     && both f64.min && both f64.max && both f64.atan2 && both f64.atan2pi && both f64.hypot && both f64.copysign
     && both (\x y -> f64.fma x y (x * y)) && both (\x y -> f64.mad x y x)
     && both (\x y -> f64.lerp x y 0.3) && agree (f64.lerp x y) 0.3 && agree (\x -> f64.ldexp x 3) x

-- Of equal operands of min and max the left one; 0 for |x| at 0 and for a power whose slope would be infinite.
entry corners : [7]f64 =
  [ jvp (\x -> f64.min x 1) 1 1, jvp (\x -> f64.min 1 x) 1 1
  , jvp (\x -> f64.max x 1) 1 1, jvp (\x -> f64.max 1 x) 1 1
  , jvp f64.abs 0 1, jvp (** 0.5) 0 1, jvp (0 **) 2 1
  ]

-- A power of two that is infinite, of a number that does not matter.
-- ==
-- entry: infinite_powers
-- input { 1f64 2000i32 } output { 3f64 1f64 }
-- input { -1f64 4i32 } output { 48f64 16f64 }
entry infinite_powers (x: f64) (n: i32) =
  let f x = let y = f64.ldexp x n in if x > 0 then x else y
  in (vjp f x 3, jvp f x 1)
