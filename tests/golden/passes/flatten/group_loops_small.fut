-- RUN dump --renumber --device=gpu --after=flatten
-- A loop that starts kernels of four points and changes single elements: one group of threads runs it too, the host would start a kernel for each.
entry main [n] (ms: [n][4][4]f32) (sums: *[n]f32): ([4]f32, [n]f32) =
  loop (v, sums) = (replicate 4 1, sums) for i < n do
    let v = map (\row -> f32.sum (map2 (*) row v)) ms[i]
    in (v, sums with [i] = v[0] + v[3])
