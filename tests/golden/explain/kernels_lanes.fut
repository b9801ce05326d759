-- RUN dump --stage=kernels --renumber --explain=fuse-kernels
-- rule 9: beside a histogram a long map would lose its vector lanes
def main [n] (is: [n]i64) (xs: [n]f32) : ([8]f32, [n]f32) =
  (hist (+) 0 8 is xs,
   map (\x -> let a = f32.sin x + f32.cos x let b = f32.exp a + f32.log (a * a + 1) let c = f32.sqrt (a * a + b * b)
              let d = f32.tanh c + f32.atan b let e = (a + b) * (c + d) * (a - d) let f = f32.sinh (e / (1 + c * c)) in
              f * f + e * d - c / (1 + a * a) + f32.erf (f + b) * (b - c) * (e + 1) / (2 + f * f)) xs)
