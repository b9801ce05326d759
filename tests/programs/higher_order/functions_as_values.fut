-- SPDX-License-Identifier: Apache-2.0
-- Functions as arguments, results, parts of records, and partially applied.
-- ==
-- entry: applied
-- input { 5 } output { 7 12 9 25 [6, 7, 8] }

def twice 'a (f: a -> a) (x: a) : a = f (f x)
def adder (n: i32) : i32 -> i32 = \x -> x + n
def pick (n: i32) = {yes = \(x: i32) -> x + n, no = \(x: i32) -> x - n}

entry applied (x: i32) : (i32, i32, i32, i32, []i32) =
  let functions = pick 7
  in (twice (+ 1) x, functions.yes x, adder 4 x, (\y -> y * y) x, map (adder x) [1, 2, 3])

-- Sections of every kind.
-- ==
-- entry: sections
-- input { [3, 1, 2] } output { [4, 2, 3] [7, 9, 8] [1, 1, 1] [3, 1, 2] 1 [3, 3, 3] [0, 0, 0] }

entry sections (xs: []i32) =
  let points = map (\x -> {at = {x, y = 1i32}, row = [x, 1i32]}) xs
  in ( map (+ 1) xs
     , map (10 -) xs
     , map (.at.y) points
     , map (.row[0]) points
     , (.[1]) xs
     , map (`i32.max` 3) xs
     , map (const 0i32) xs
     )

-- A function given to itself through composition, and one that captures an array.
-- ==
-- entry: composed
-- input { [1, 2, 3] } output { 36 [14, 14, 14] }

entry composed [n] (xs: [n]i32) =
  let double_all = map (* 2) >-> map (+ 0)
  let dot (ys: [n]i32) = i32.sum (map2 (*) xs ys)
  in ((double_all >-> map (* 3) >-> i32.sum) xs, map (\_ -> dot xs) xs)
