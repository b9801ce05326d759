-- RUN dump --stats --device=gpu --explain=keep-totals --disable=group-loops
-- rule 7: the host gets a total that is a result, a size, a condition, carried by a loop or a neutral element
entry result [n] (xs: [n]f32) : (f32, [n]f32) =
  let s = f32.sum xs
  in (s, map (/ s) xs)
entry size [n] (xs: [n]i64) =
  let s = i64.sum xs
  in replicate s xs
entry condition [n] (xs: [n]i64) : [n]i64 =
  if i64.sum xs > 3 then map (+ 1) xs else xs
entry carried [n] (k: i64) (xs: [n]i64) : ([n]i64, i64) =
  loop (ys, s) = (xs, 1) for _i < k do let zs = map (* s) ys in (zs, i64.sum zs)
entry neutral [n] (xs: [n]i64) : [n]i64 =
  scan i64.max (i64.sum xs) xs
