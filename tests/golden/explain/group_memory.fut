-- RUN dump --stage=soacs --renumber --device=gpu --explain=fusion
-- the threads of a group share their totals, and must have room for them: 18 of 8 bytes each are split
def sums [n] (xs: [n]f64) (a: f64) : (f64, f64, f64, f64, f64, f64) =
  reduce (\(a, b, c, d, e, f) (g, h, i, j, k, l) -> (a + g, b + h, c + i, d + j, e + k, f + l)) (0, 0, 0, 0, 0, 0)
         (map (\x -> (x, x * a, x + a, x - a, a - x, x / a)) xs)
def main [n] (xs: [n]f64) = (sums xs 2, sums xs 3, sums xs 4)
