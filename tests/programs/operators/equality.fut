-- SPDX-License-Identifier: Apache-2.0
-- == and != on tuples, records and sums; < on booleans.
-- ==
-- input { 1 2 } output { [false, true, true, false, true, true, false] }
-- input { 2 2 } output { [true, true, false, false, true, false, true] }

type shape = #dot | #circle i32 | #box {w: i32, h: i32}

def main (x: i32) (y: i32) : []bool =
  let circle : shape = #circle x
  in [ (x, true) == (y, true)
     , {a = x, b = (1i8, 2f32)} == {a = x, b = (1i8, 2f32)}
     , circle != #circle y
     , circle == #dot
     , (#box {w = x, h = y} : shape) == #box {w = x, h = y}
     , (x == y) < true
     , (x == y) >= true
     ]
