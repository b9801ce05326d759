-- A nest of maps as the front end leaves it, sizes of both levels named.
-- RUN dump --renumber
def main [n] [m] (xs: [n]i32) (ys: [m]i32) : [n][m]i32 = map (\x -> map (\y -> x * y) ys) xs
