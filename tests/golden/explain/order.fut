-- RUN dump --stage=soacs --renumber --explain=fusion
-- sum must be complete before the division starts
def main [n] (xs: [n]f64) : [n]f64 = let s = f64.sum xs in map (/ s) xs
