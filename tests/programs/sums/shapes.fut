-- SPDX-License-Identifier: Apache-2.0
-- Sum types with payloads of different types; match with nested patterns.
-- ==
-- entry: area
-- input { 0i32 2f64 3f64 } output { 12.566370614359172f64 }
-- input { 1i32 2f64 3f64 } output { 6f64 }
-- input { 2i32 2f64 3f64 } output { 0f64 }
-- ==
-- entry: total
-- input { [1f64, 2f64] } output { 17.566370614359172f64 }

type shape = #circle f64 | #rectangle {width: f64, height: f64} | #nothing

def size (s: shape) : f64 =
  match s
  case #circle r -> f64.pi * r * r
  case #rectangle {width, height} -> width * height
  case #nothing -> 0

entry area (kind: i32) (a: f64) (b: f64) : f64 =
  let s: shape =
    match kind
    case 0 -> #circle a
    case 1 -> #rectangle {width = a, height = b}
    case _ -> #nothing
  in size s

entry total (xs: []f64) : f64 =
  let shapes = map (\x -> if x < 2 then #rectangle {width = x, height = 5} else #circle x) xs
  in f64.sum (map size shapes)
