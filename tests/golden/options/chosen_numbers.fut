-- RUN dump --params --param suff_outer_par=1000 --param fusion.registers=12
-- numbers of the device that are chosen; the first is the default of all thresholds of that name
def main [n][m] (xss: [n][m]f32) : [n][m]f32 =
  map (\xs -> let s = f32.sum xs let t = f32.maximum (map (/ s) xs) in map (\x -> x / s - t) xs) xss
