-- A scatter for a device: one launch, and copies in and out.
-- RUN dump --emit=device-imp
def main [n] [m] (dest: *[m]i32) (is: [n]i64) (xs: [n]i32) : [m]i32 = scatter dest is xs
