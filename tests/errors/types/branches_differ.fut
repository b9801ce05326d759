def main (c: bool) = if c then 1i32 else 2f32
