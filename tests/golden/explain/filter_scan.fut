-- RUN dump --stage=soacs --renumber --explain=fusion
-- a scan of filtered rows needs their positions
def main [n] (xs: [n]i32) : []i32 = scan (+) 0 (filter (> 0) xs)
