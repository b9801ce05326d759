-- RUN dump --stage=soacs --renumber --explain=fusion
-- a histogram and a map over the same array: no SOAC gives both
def main [n] (xs: [n]i64) : ([n]i64, [10]i32) = (map (+1) xs, hist (+) 0i32 10 xs (map i32.i64 xs))
