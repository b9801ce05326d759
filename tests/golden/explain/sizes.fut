-- RUN dump --stage=soacs --renumber --explain=fusion
-- two sizes that may differ
def main [n][m] (xs: [n]i32) (ys: [m]i32) : (i32, i32) = (i32.sum (map (+1) xs), i32.sum (map (+1) ys))
