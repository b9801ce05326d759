-- RUN dump --renumber --device=gpu --stage=kernels
-- What is added to places that a nest computes is one histogram over all its points; the rest is code like other code.
entry main [n] [m] [k] (xs: [n]f64) (at: [n][k]i64) (table: [m]f64): ([n]f64, [m]f64) =
  #[unsafe] vjp (\(a, b) -> map2 (\x row -> f64.exp (x * f64.sum (map (\p -> b[p] * x) row))) a at) (xs, table) (replicate n 1)
