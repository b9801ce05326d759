-- SPDX-License-Identifier: Apache-2.0
-- Prefix products of 4×4 matrices; integers, so that the order of operations does not show.
def mul (a: [4][4]i32) (b: [4][4]i32) : [4][4]i32 =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a

def main [n] (ms: [n][4][4]i32) : [n][4][4]i32 =
  scan mul [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]] ms
