-- RUN dump --stage=soacs --renumber --explain=fusion
-- the position among the kept rows is needed
def main [n] (xs: [n]i32) : i64 = let ys = filter (> 0) xs in i64.sum (map2 (\y i -> i64.i32 y * i) ys (indices ys))
