-- RUN dump --stage=soacs --renumber --explain=fusion
-- a scan of scanned values needs another pass
def main [n] (xs: [n]i32) : [n]i32 = scan (+) 0 (scan (+) 0 xs)
