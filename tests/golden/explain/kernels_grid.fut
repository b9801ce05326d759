-- RUN dump --stage=kernels --renumber --explain=fuse-kernels
-- rule 10: rows of a grid are partitioned or reduced by kernels of their own
def main [n] [m] (xss: [n][m]f32) : ([n]f32, []f32) = (map f32.sum xss, filter (> 0) (flatten xss))
