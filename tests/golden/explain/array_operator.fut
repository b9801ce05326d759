-- RUN dump --stage=soacs --renumber --explain=fusion
-- an operator on arrays has no neutral row to give for rows that a filter drops, and stands in no
-- pass with a sum
def main [n][m] (xss: [n][m]f32) (ys: [n]f32) =
  ( reduce (map2 (+)) (replicate m 0) (filter (\xs -> xs[0] > 0) xss)
  , reduce (map2 (\x (y: f32) -> x + y)) (replicate m 0) (map2 (\xs y -> map (* y) xs) xss ys)
  , f32.sum ys
  )
