-- The dot product at stage kernels.
-- RUN dump --renumber --stage=kernels
def main [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)
