-- RUN dump --stage=memory --renumber --device=gpu --explain=keep-totals
-- rule 7: a total stays on the device if the host has no use for it
entry stays [n] (xs: [n]f32) : [n]f32 =
  let s = f32.sqrt (f32.sum xs)
  in map (/ s) xs
