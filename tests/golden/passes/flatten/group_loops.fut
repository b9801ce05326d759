-- RUN dump --renumber --device=gpu --after=flatten
-- A loop of kernels has a second version on a gpu, which one group of threads runs.
entry main [n] (xs: [n]f32): ([n]f32, i32) =
  loop (xs, k) = (xs, 0) while f32.sum xs > 1 do (map (* 0.5) xs, k + 1)
