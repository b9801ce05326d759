-- RUN dump --emit=cu
entry main [n] (a: f32) (xs: [n]f32) (ys: [n]f32) = map2 (\x y -> a * x + y) xs ys
