-- SPDX-License-Identifier: Apache-2.0
-- Local functions: with their own type and size parameters, shadowing, capturing.
-- ==
-- input { [1, 2, 3] 10 } output { [3, 2, 1] [true, false] 3i64 16 21 }

def main [n] (xs: [n]i32) (k: i32) =
  let flipped 'a [m] (as: [m]a) : [m]a = map (\i -> as[m - 1 - i]) (iota m)
  let size [m] 'a (_: [m]a) = m
  let add (x: i32) (y: i32) : i32 = x + y
  let total = k + reduce add 0 xs
  let k = k + 1
  let later (x: i32) = x + k
  in (flipped xs, flipped [false, true], size xs, total, later 10)
