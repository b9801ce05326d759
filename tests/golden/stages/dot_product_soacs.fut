-- The dot product at stage soacs.
-- RUN dump --renumber --stage=soacs
def main [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)
