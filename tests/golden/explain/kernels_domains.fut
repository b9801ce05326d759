-- RUN dump --stage=kernels --renumber --explain=fuse-kernels
-- rule 1: a map over fewer rows does not move into a reduction over more
def main [n] [m] (xs: [n]f32) (ys: [m]f32) : (f32, f32) = let a = map (* 2) ys in (f32.sum a, f32.sum (map (\x -> x + a[0]) xs))
