-- RUN dump --stage=soacs --renumber --explain=fusion
-- an operator on arrays
def main [n][m] (xss: [n][m]f32) : [m]f32 = reduce (map2 (+)) (replicate m 0) (map (map (*2)) xss)
