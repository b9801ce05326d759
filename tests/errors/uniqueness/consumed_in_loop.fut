def main [n] (xs: *[n]i32) (k: i32) : i32 =
  loop s = 0 for i < k do
    let ys = xs with [0] = i
    in s + ys[0]
