-- SPDX-License-Identifier: Apache-2.0
-- A loop parameter written with `*` whose initial value may not be consumed and is only looked at:
-- once the body has shown something about another parameter, all of them are inferred.
-- ==
-- input { [3, 0, 5, 1] } output { [9, 8, 8, 8] 2i64 }
def main [n] (xs: [n]i32) : (*[n]i32, i64) =
  let (eights, _, rounds) =
    loop (eights: *[n]i32, rest: *[]i32, rounds) = (replicate n 8, xs, 0)
    while length rest > 2 do
      (eights, filter (> i32.i64 rounds) rest, rounds + 1)
  in (eights with [0] = 9, rounds)
