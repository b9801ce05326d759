-- RUN dump --stage=soacs --renumber --explain=fusion
-- ys is read at computed places, and is expensive
def main [n] (xs: [n]f64) (is: [n]i64) : [n]f64 = let ys = map (\x -> f64.sin x + f64.cos x + f64.exp x) xs in map (\i -> ys[i] + ys[n-1-i]) is
