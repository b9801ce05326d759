def main (x: i32) : i32 = later x
def later (x: i32) : i32 = x
