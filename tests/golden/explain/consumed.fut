-- RUN dump --stage=soacs --renumber --explain=fusion
-- the read of xs must stay before its update
def main [n] (xs: *[n]i32) : ([n]i32, [n]i32) =
  let ys = map (+1) xs
  let xs[0] = 5
  let zs = map (+2) xs
  in (ys, zs)
