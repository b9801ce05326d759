-- SPDX-License-Identifier: Apache-2.0
-- Functions that call themselves.
import "compare"

def power (x: f64) (n: i64) : f64 = if n == 0 then 1 else x * power x (n - 1)

def sum_of_squares [n] (xs: [n]f64) : f64 =
  if n == 0 then 0
  else if n == 1 then xs[0] * xs[0]
  else sum_of_squares (take (n / 2) xs) * 0.5 + f64.sin (sum_of_squares (drop (n / 2) xs))

-- ==
-- entry: powers halves
-- input { 5i64 } output { true }
-- input { 1i64 } output { true }
entry powers (n: i64) = check (\(xs: [n]f64) -> map (\x -> power x n) xs)
entry halves (n: i64) = check (\(xs: [n]f64) -> [sum_of_squares xs])

-- The second derivative of x⁵.
-- ==
-- entry: twice
-- input { 2f64 } output { 160f64 160f64 160f64 }
entry twice (x: f64) =
  (jvp (\x -> vjp (\x -> power x 5) x 1) x 1,
   vjp (\x -> jvp (\x -> power x 5) x 1) x 1,
   jvp (\x -> jvp (\x -> power x 5) x 1) x 1)
