-- RUN run --backend=interp
-- The place of a trace is that of the call.
entry main = trace 1i32 + trace 2i32
