-- SPDX-License-Identifier: Apache-2.0
-- Derivatives of derivatives, in every order, with loops, maps and accumulators inside.
-- ==
-- entry: second
-- input { 2.0 } output { [24.0, 24.0, 24.0, 24.0] }
-- ==
-- entry: hessian_product
-- input { [1.0, 2.0, 3.0] } output { true }
-- ==
-- entry: confusion
-- input { 2.0 3.0 } output { [1.0, 1.0] }
-- ==
-- entry: third
-- input { 2.0 } output { 24.0 24.0 }

-- (x³ + x)'' = 6x, through a loop; times 2.
entry second (x: f64) : [4]f64 =
  let f x = (loop y = 1 for _i < 3 do y * x) * 2 + x
  in [ jvp (\x -> jvp f x 1) x 1
     , jvp (\x -> vjp f x 1) x 1
     , vjp (\x -> jvp f x 1) x 1
     , vjp (\x -> vjp f x 1) x 1
     ]

-- The Hessian times a vector, four ways, of a function that reads arrays from inside maps.
entry hessian_product [n] (x: [n]f64) : bool =
  let f (x: [n]f64) =
    f64.sum (map (\a -> f64.sin a * f64.product (map (\i -> x[i] + a) (iota n))) x) + reduce f64.max 0 x ** 2
  let u = map (\i -> f64.i64 i + 0.5) (iota n)
  let grad g = vjp g
  let a = jvp (\x -> grad f x 1) x u
  let b = vjp (\x -> jvp f x u) x 1
  let c = vjp (\x -> f64.sum (map2 (*) u (grad f x 1))) x 1
  let d = tabulate n (\i -> jvp (\x -> jvp f x u) x (tabulate n (\j -> f64.bool (i == j))))
  let near a b = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)
  in and (map2 near a b) && and (map2 near a c) && and (map2 near a d)

-- Which x an inner derivative is about.
entry confusion (x: f64) (y: f64) : [2]f64 =
  [jvp (\x -> jvp (\y -> x * y) y 1) x 1, vjp (\x -> vjp (\y -> x * y) y 1) x 1]

entry third (x: f64) : (f64, f64) =
  let f x = x * x * x * x / 2
  in (jvp (\x -> jvp (\x -> jvp f x 1) x 1) x 1, vjp (\x -> jvp (\x -> vjp f x 1) x 1) x 1)
