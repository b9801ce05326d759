def main : i32 = 12abc
