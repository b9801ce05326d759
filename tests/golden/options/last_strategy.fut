-- RUN dump --stage=imp --disable=map/row-by-row
-- the last strategy of a table cannot be left out
def main [n] (xs: [n]i32) : [n]i32 = map (+ 1) xs
