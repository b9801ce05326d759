-- RUN dump --renumber --device=gpu --stage=kernels
-- What is added under a branch, in a map and in a loop, is a histogram over all points, which leaves out those where the branch goes the other way.
entry main [n] [m] [k] (xs: [n]f64) (at: [n][k]i64) (table: [m]f64): ([n]f64, [m]f64) =
  #[unsafe] vjp (\(a, b) -> map2 (\x row -> if x > 0.5 then f64.sum (map (\p -> b[p] * x) row) * x else x) a at) (xs, table) (replicate n 1)
