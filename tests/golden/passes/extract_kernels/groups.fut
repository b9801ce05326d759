-- RUN dump --renumber --device=gpu --stage=kernels
-- A group of threads runs a kernel whose thunk holds kernels.
entry main [n][m] (xss: [n][m]f32): [n][m]f32 =
  #[flattening(only_intra)]
  map (\xs -> let s = f32.sum xs in map (/ s) xs) xss
