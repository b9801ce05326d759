-- RUN dump --stage=kernels --renumber --explain=fuse-kernels
-- rule 7: a reduction is complete only at the end
def main [n] (xs: [n]f32) : [n]f32 = let s = f32.sum xs in map (/ s) xs
