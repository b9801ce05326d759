-- SPDX-License-Identifier: Apache-2.0
-- A size expression that doubles in every line is replaced by an unknown size before it is too long to
-- copy; the arrays are what they are.
-- ==
-- entry: doubled
-- input { [1, 2, 3] } output { 49152i64 98304i32 }
-- ==
-- entry: in_a_map
-- input { [1, 2, 3] } output { [64i64, 64, 64] }

entry doubled [n] (x0: [n]i32) : (i64, i32) =
  let x1 = x0 ++ x0
  let x2 = x1 ++ x1
  let x3 = x2 ++ x2
  let x4 = x3 ++ x3
  let x5 = x4 ++ x4
  let x6 = x5 ++ x5
  let x7 = x6 ++ x6
  let x8 = x7 ++ x7
  let x9 = x8 ++ x8
  let x10 = x9 ++ x9
  let x11 = x10 ++ x10
  let x12 = x11 ++ x11
  let x13 = x12 ++ x12
  let x14 = x13 ++ x13
  in (length x14, reduce (+) 0 x14)

-- Short ones stay as they are: rows of a regular array.
entry in_a_map (xs: []i32) : []i64 =
  map (\x ->
         let a = [x, x]
         let b = a ++ a
         let c = b ++ b
         let d = c ++ c
         let e = d ++ d
         let f = e ++ e
         in length f)
      xs
