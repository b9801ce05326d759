-- RUN run --backend=interp --diagnostics=json
entry main = 1i32 / (i32.i64 (length (filter (> 5) [1i32, 2, 3])))
