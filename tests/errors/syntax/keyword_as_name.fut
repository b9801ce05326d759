def loop (x: i32) = x
