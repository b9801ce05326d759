def main (x: int) : i32 = 0
