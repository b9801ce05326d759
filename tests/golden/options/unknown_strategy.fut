-- RUN dump --stage=imp --disable=reduce/sideways
-- a strategy that does not exist
def main [n] (xs: [n]i32) : i32 = i32.sum xs
