-- RUN dump --stage=soacs --renumber --explain=fusion
-- a SOAC must not keep more values than there are registers
def dot [n] (xs: [n]f32) (a: f32) : (f32, f32, f32, f32) = reduce (\(a, b, c, d) (e, f, g, h) -> (a + e, b + f, c + g, d + h)) (0, 0, 0, 0) (map (\x -> (x * a, x + a, x - a, a - x)) xs)
def main [n] (xs: [n]f32) = (dot xs 2, dot xs 3, dot xs 4, dot xs 5, dot xs 6, dot xs 7, dot xs 8, dot xs 9, dot xs 10, dot xs 11, dot xs 12, dot xs 13, dot xs 14, dot xs 15, dot xs 16, dot xs 17, dot xs 18, dot xs 19, dot xs 20, dot xs 21)
