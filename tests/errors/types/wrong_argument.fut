def main (x: i32) : f32 = f32.sqrt x
