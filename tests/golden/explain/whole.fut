-- RUN dump --stage=soacs --renumber --explain=fusion
-- the scatter's result is read as a whole
def main [n] (xs: *[n]i32) (is: [n]i64) : [n]i32 = let ys = scatter xs is (map i32.i64 is) in map (+1) ys
