-- RUN dump --stage=kernels --renumber --explain=fuse-kernels
-- rule 6: a scan of scanned values
def main [n] (xs: [n]i32) : [n]i32 = scan i32.max i32.lowest (scan (+) 0 xs)
