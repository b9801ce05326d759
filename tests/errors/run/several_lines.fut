-- RUN run --backend=interp
entry main =
  let k = length (filter (> 1) [1i32, 2])
  in assert (k == 2)
            (k +
             1)
