-- SPDX-License-Identifier: Apache-2.0
-- What comes from a wrong size is not compared with anything: two messages, for lines 4 and 10.
def f [n] [m] (a: [n]i32) (b: [m]i32) : [n]i32 =
  let wrong = map2 (+) a b
  let longer = wrong ++ [1]
  let both = zip longer (iota 7)
  let same = loop xs = wrong for _i < 3 do reverse xs
  let scaled (x: [m]i32) =
    let bad = x :> [n]i32
    let worse = map2 (*) x [1, 2, 3]
    in map2 (+) worse bad
  let used = map2 (+) (scaled b) (scaled (both |> map (.0)))
  let field = {x = wrong, y = used}
  let changed = field with y = [5]
  in if m == n then map2 (+) wrong same else changed.y
