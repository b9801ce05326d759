-- RUN dump --stage=kernels --renumber --explain=fuse-kernels
-- rule 4: an array over the rows of one of several classes
def main [n] (xs: [n]i32) : ([]i32, []i32) = let (a, b) = partition (> 0) xs in (map (* 2) a, b)
