def three (xs: [3]i32) : i32 = xs[0]
def main : i32 = three [1, 2]
