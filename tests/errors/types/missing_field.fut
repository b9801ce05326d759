def main (x: i32) : i32 = let r = {a = x, b = 1} in r.c
