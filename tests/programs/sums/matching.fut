-- SPDX-License-Identifier: Apache-2.0
-- Sum types: construction, matching, nesting, arrays of them.
-- ==
-- entry: areas
-- input { 2 3 } output { [0, 4, 6, 12] }

type shape = #point | #square i32 | #rectangle i32 i32 | #pair {first: i32, second: #a i32 | #b}

def area (s: shape) : i32 =
  match s
  case #point -> 0
  case #square w -> w * w
  case #rectangle w h -> w * h
  case #pair {first, second = #a x} -> first * x * 2
  case #pair {first, second = #b} -> first

entry areas (w: i32) (h: i32) =
  map area [#point, #square w, #rectangle w h, #pair {first = w, second = #a h}]

-- Literals and wildcards; the first case that fits counts.
-- ==
-- entry: classify
-- input { [0, 1, -1, 7, 100] } output { [10, 11, 12, 13, 14] }

entry classify (xs: []i32) : []i32 =
  map (\x ->
         match (x, x > 50)
         case (0, _) -> 10
         case (1, false) -> 11
         case (-1, _) -> 12
         case (_, false) -> 13
         case _ -> 14)
      xs

-- Payloads of different types share memory.
-- ==
-- entry: payloads
-- input { [1, 2, 3] } output { [1.5f64, 20.0f64, 1.0f64] }

type any = #f f64 | #i i32 | #t bool

entry payloads (xs: []i32) : []f64 =
  let wrap (x: i32) : any = if x == 1 then #f 1.5 else if x == 2 then #i 20 else #t true
  let unwrap (a: any) = match a case #f x -> x case #i x -> f64.i32 x case #t x -> f64.bool x
  in map unwrap (map wrap xs)

-- Arrays inside sums, chosen at run time.
-- ==
-- entry: optional
-- input { 3i64 true } output { 3i64 }
-- input { 3i64 false } output { -1i64 }

type~ optional = #some ([]i64) | #none

entry optional (n: i64) (b: bool) : i64 =
  let o : optional = if b then #some (iota n) else #none
  in match o case #some xs -> i64.sum xs case #none -> -1
