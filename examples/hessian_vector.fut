-- SPDX-License-Identifier: Apache-2.0
-- The second derivative of a function times a vector, without the matrix: forward mode over reverse mode.  Conjugate gradients
-- need nothing else to go to the minimum of a quadratic function.
--
--   echo '[1f64, 2f64, 3f64]' | ./skald-dev run examples/hessian_vector.fut
--
-- Argument: where to start.  Result: the minimum of Σ (i+1)(xᵢ-1)² + Σ (xᵢ₊₁-xᵢ)², which is 1 everywhere.
-- ==
-- input { [5f64, -2f64, 3f64, 0f64] } output { [1f64, 1f64, 1f64, 1f64] }

def dot [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)

def f [n] (x: [n]f64) : f64 =
  f64.sum (map2 (\i y -> f64.i64 (i + 1) * (y - 1) ** 2) (iota n) x)
  + f64.sum (map (\i -> (x[i64.min (n - 1) (i + 1)] - x[i]) ** 2) (iota n))

def main [n] (x: [n]f64) : [n]f64 =
  let gradient y = vjp f y 1
  let times u = jvp gradient x u
  let r = map f64.neg (gradient x)
  let (d, _, _) =
    loop (d, r, p) = (replicate n 0, r, r) for _i < n do
      let hp = times p
      let rr = dot r r
      let step = if rr == 0 then 0 else rr / dot p hp
      let next = map2 (\a b -> a - step * b) r hp
      let more = if rr == 0 then 0 else dot next next / rr
      in (map2 (\a b -> a + step * b) d p, next, map2 (\a b -> a + more * b) next p)
  in map2 (+) x d
