-- RUN dump --stage=soacs --renumber --explain=fusion
-- iterations that write several times to an accumulator keep their order, and no map joins
-- them; a reduction joins them as a kernel only; what was accumulated is complete at the end
type~ acc 't = intrinsics.acc t

def main [n][k] (d: *[k]i32) (e: *[k]i32) (is: [n]i64) (xs: [n]i32) =
  let several =
    intrinsics.hist_stream d
                           (+)
                           0
                           (\(acc: *acc ([]i32)) (i, x) ->
                              intrinsics.acc_write (intrinsics.acc_write acc i x) (i + 1) x)
                           (zip is xs)
  let once = intrinsics.hist_stream e (+) 0 (\(acc: *acc ([]i32)) (i, x) -> intrinsics.acc_write acc i x) (zip is xs)
  in (several, once, map (\x -> x * x) xs, i32.sum xs, map (+ 1) once)
