-- RUN dump --stage=kernels --renumber --explain=fuse-kernels
-- rule 3: the position among filtered rows is known only at the end
def main [n] (xs: [n]i32) : []i64 = let ys = filter (> 0) xs in map2 (\i y -> i * i64.i32 y) (indices ys) ys
