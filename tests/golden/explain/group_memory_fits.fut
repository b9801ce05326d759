-- RUN dump --stats --device=gpu
-- ordinary programs have room: twelve totals of 8 bytes and ten arrays are one kernel
def sums [n] (xs: [n]f64) (a: f64) : (f64, f64, f64, f64, f64, f64) =
  reduce (\(a, b, c, d, e, f) (g, h, i, j, k, l) -> (a + g, b + h, c + i, d + j, e + k, f + l)) (0, 0, 0, 0, 0, 0)
         (map (\x -> (x, x * a, x + a, x - a, a - x, x / a)) xs)
def main [n] (xs: [n]f64) (ys: [n]f64) =
  let scaled (a: f64) = map2 (\x y -> x * a + y) xs ys
  in (sums xs 2, sums ys 3, scaled 1, scaled 2, scaled 3, scaled 4, scaled 5, scaled 6, scaled 7, scaled 8, scaled 9, scaled 10)
