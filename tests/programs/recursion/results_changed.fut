-- SPDX-License-Identifier: Apache-2.0
-- What a map of a recursive function gives is its own: it may be changed while the function's arguments are still needed.
-- ==
-- entry: lengths
-- input { 0i64 } output { empty([0]i64) empty([0]i64) }
-- input { 4i64 } output { [4i64, 2i64, 2i64, 2i64] [0i64, 1i64, 2i64, 3i64] }
-- ==
-- entry: numbers
-- input { [3i64, 0i64, 5i64] } output { [7i64, 0i64, 5i64] [3i64, 0i64, 5i64] }
-- input { [0i64] } output { [7i64] [0i64] }

def halves (k: i64) (xs: []i64) : []i64 =
  if k <= 0 then filter (\x -> x % 2 == 0) xs else halves (k - 1) (filter (\x -> x >= 0) xs)

entry lengths (n: i64) : ([n]i64, [n]i64) =
  let xs = iota n
  let ls = map (\_ -> length (halves 2 xs)) (iota n)
  in (if n > 0 then ls with [0] = n else ls, xs)

-- One that gives its argument back.
def down (k: i64) (x: i64) (xs: []i64) : i64 =
  if k <= 0 || length xs > 100 then x else down (k - 1) x (map (+ 1) xs)

entry numbers [n] (xs: [n]i64) : ([n]i64, [n]i64) =
  let ys = map (\x -> down 0 x [x]) xs
  in (ys with [0] = 7, xs)
