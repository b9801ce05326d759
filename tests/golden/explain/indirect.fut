-- RUN dump --stage=soacs --renumber --explain=fusion
-- every pair that has something in common and stays apart has its reason: a total on the way, a size
-- that is a total
entry normalised [n] (xs: [n]f32) : [n]f32 =
  let ys = map (\x -> x * x + 1) xs
  let s = f32.sum ys
  in map (/ s) ys

entry counted [n] (xs: [n]i64) : []i64 = map (\i -> i * i) (iota (i64.sum (map (\x -> if x > 0 then x else 0) xs)))

entry beside [n] (xs: [n]f32) : ([n]f32, f32) =
  let s = f32.sum xs
  let t = f32.maximum (map (/ s) xs)
  in (map (+ t) xs, s)
