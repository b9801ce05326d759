-- RUN dump --renumber --device=gpu --stage=kernels
-- A loop that carries a number and adds to places that depend on it: it keeps places and values of all rounds for
-- a histogram.
entry main [n] [m] (k: i64) (xs: [n]f64) (table: *[m]f64): ([n]f64, [m]f64) =
  #[unsafe] vjp (\(a, b) -> map (\x -> loop y = x for i < k do b[i64.f64 y] * y) a) (xs, table) (replicate n 1)
