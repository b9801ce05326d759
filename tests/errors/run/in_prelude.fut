-- RUN run --backend=interp --no-cache
-- The check is in the prelude, the mistake is here.
entry main =
  let n = -3i64
  in length (replicate n 1i32)
