-- RUN dump --stage=soacs --renumber --explain=fusion
-- a reduction of scanned values needs another pass
def main [n] (xs: [n]i32) : i32 = i32.sum (scan (+) 0 xs)
