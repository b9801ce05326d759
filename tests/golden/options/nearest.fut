-- RUN run --bakend=cpu --color=alwys
entry main = 1i32
