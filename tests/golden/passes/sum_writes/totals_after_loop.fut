-- RUN dump --renumber --device=gpu --after=sum-writes
-- What each round adds to an element is a total that the host would wait for; on devices terms are added up, and once after the loop.
entry main [n] (xs: [n]f32) (k: i64) (c: [2]f32): [2]f32 =
  vjp (\c -> loop y = xs for _i < k do map (\x -> x * c[1]) y) c (rep 1)
