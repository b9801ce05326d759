def main [n] (xs: *[n]i32) : (i32, [n]i32) =
  let zs = xs[:n]
  let ys = xs with [0] = 1
  in (zs[0], ys)
