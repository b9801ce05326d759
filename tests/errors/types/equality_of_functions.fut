def main (x: i32) : bool = (\y -> y + x) == (\y -> y)
