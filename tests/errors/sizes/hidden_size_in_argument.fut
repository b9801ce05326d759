-- SPDX-License-Identifier: Apache-2.0
-- What the first function makes has a size that the second would have to know.
def both '^a '^b (make: i64 -> a) (use: a -> b) (k: i64) : (b, b) = (use (make k), use (make k))
def main =
  let ones = both (\k -> replicate k 1i32)
  in ones (\xs -> length xs) 3
