-- RUN dump --renumber --device=gpu --stage=kernels
-- A loop whose number of rounds each iteration computes, and which writes: on a device rounds of all iterations, unless there are few of them.
entry main [n] [m] (ks: [n]i64) (xs: [n]f64) (table: [m]f64): [m]f64 =
  #[unsafe] vjp (\b -> map2 (\k x -> loop s = x for i < k do s * 0.5 + b[(i64.f64 s + i) % m]) ks xs) table (replicate n 1)
