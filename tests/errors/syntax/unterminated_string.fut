def main = "abc
