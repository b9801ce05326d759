-- RUN dump --after=forks --renumber --explain=order --disable=stream --disable=caches
-- NEEDS   cpu
-- a transposition that moves the data is done in blocks
def main [n][m] (xs: [n][m]f32) : [m][n]f32 = map (map (+ 1)) (transpose xs)
