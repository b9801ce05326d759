-- SPDX-License-Identifier: Apache-2.0
-- The logarithm of the likelihood of points under a mixture of Gaussians.  Each has a weight, a mean and the
-- inverse square root of its covariance: a lower triangle with the logarithms of the diagonal in q.

def logsumexp [k] (xs: [k]f64) : f64 =
  let most = f64.maximum xs
  in most + f64.log (f64.sum (map (\x -> f64.exp (x - most)) xs))

def dot [d] (xs: [d]f64) (ys: [d]f64) : f64 = f64.sum (map2 (*) xs ys)

def likelihood [n] [k] [d] (points: [n][d]f64) (alphas: [k]f64) (means: [k][d]f64) (qs: [k][d]f64) (ls: [k][d][d]f64) : f64 =
  let diagonals = map (map f64.exp) qs
  let lower = map (\l -> map2 (\i row -> map2 (\j a -> if j < i then a else 0) (iota d) row) (iota d) l) ls
  let sums = map2 (\alpha q -> alpha + f64.sum q) alphas qs
  let one (x: [d]f64) =
    logsumexp (map4 (\s mean e l ->
                       let y = map2 (-) x mean
                       let z = map3 (\ei row yi -> ei * yi + dot row y) e l y
                       in s - 0.5 * dot z z)
                    sums means diagonals lower)
  in f64.sum (map one points) - f64.i64 n * logsumexp alphas

entry primal [n] [k] [d] (points: [n][d]f64) (alphas: [k]f64) (means: [k][d]f64) (qs: [k][d]f64) (ls: [k][d][d]f64) =
  likelihood points alphas means qs ls

entry forward [n] [k] [d] (points: [n][d]f64) (alphas: [k]f64) (means: [k][d]f64) (qs: [k][d]f64) (ls: [k][d][d]f64) =
  jvp (\(a, m, q, l) -> likelihood points a m q l) (alphas, means, qs, ls) (alphas, means, qs, ls)

entry reverse [n] [k] [d] (points: [n][d]f64) (alphas: [k]f64) (means: [k][d]f64) (qs: [k][d]f64) (ls: [k][d][d]f64) =
  vjp (\(a, m, q, l) -> likelihood points a m q l) (alphas, means, qs, ls) 1
