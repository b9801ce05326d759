def main (xs: []i32) : i32 = xs[0
def other (x: i32) : i32 = x
