def main : i8 = 300
