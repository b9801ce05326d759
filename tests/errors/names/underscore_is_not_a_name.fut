def main (_x: i32) : i32 = _x
