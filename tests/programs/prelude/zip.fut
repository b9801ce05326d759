-- SPDX-License-Identifier: Apache-2.0
-- zip and unzip of every arity.
-- ==
-- input { [1, 2] [3, 4] [5, 6] [7, 8] [9, 10] }
-- output { [1, 2] [3, 4] [1, 2] [3, 4] [5, 6] [3, 4] [7, 8] [9, 10] [2, 1] }

def main [n] (a: [n]i32) (b: [n]i32) (c: [n]i32) (d: [n]i32) (e: [n]i32) =
  let (x0, _) = unzip (zip a b)
  let (_, x1) = unzip2 (zip2 a b)
  let (y0, y1, y2) = unzip3 (zip3 a b c)
  let (_, z1, _, z3) = unzip4 (zip4 a b c d)
  let (_, _, _, _, w4) = unzip5 (zip5 a b c d e)
  in (x0, x1, y0, y1, y2, z1, z3, w4, map (.1) (reverse (zip b a)))
