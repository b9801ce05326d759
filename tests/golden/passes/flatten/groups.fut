-- RUN dump --renumber --device=gpu --after=flatten
-- A nest with two parts has three versions on a gpu: one thread, one group, or all levels at once for a row.
entry main [n][m] (xss: [n][m]f32): [n][m]f32 =
  map (\xs -> let s = f32.sum xs in map (/ s) xs) xss
