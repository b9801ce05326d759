def main (x: i32) = [x, 1.5f32]
