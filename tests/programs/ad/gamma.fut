-- SPDX-License-Identifier: Apache-2.0
-- The slope of lgamma is digamma, that of gamma is gamma times digamma.
-- ==
-- entry: slopes
-- input { [1.0, 2.0, 0.5, 10.0, 100.5, 0.001, -0.5, -3.25] }
-- output { [-0.5772156649015329, 0.4227843350984671, -1.9635100260214235, 2.2517525890667211, 4.605174352581845, -1000.5755719318104, 0.03648997397857652, 4.466275872350277] }
-- ==
-- entry: trigamma
-- input { [1.0, 2.0, 0.5, 10.0, -0.5] }
-- output { [1.6449340668482264, 0.6449340668482264, 4.934802200544679, 0.10516633568168575, 8.934802200544679] }
-- ==
-- entry: modes
-- input { 9i64 } output { true }
import "compare"

entry slopes (xs: []f64) = map (\x -> jvp f64.lgamma x 1) xs
entry trigamma (xs: []f64) = map (\x -> vjp (\y -> jvp f64.lgamma y 1) x 1) xs
entry modes (n: i64) = check (\(x: [n]f64) -> map2 (\a b -> f64.gamma (a * b + 0.1) * f64.lgamma (a - 2.9)) x (reverse x))
