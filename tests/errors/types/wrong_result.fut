def main (x: i32) : bool = x * 2
