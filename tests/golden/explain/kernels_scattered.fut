-- RUN dump --stage=kernels --renumber --explain=fuse-kernels
-- rule 5: what is scattered is complete only at the end
def main [n] (is: [n]i64) (xs: [n]i32) : [n]i32 = map (+ 1) (scatter (replicate n 0) is xs)
