-- SPDX-License-Identifier: Apache-2.0
-- Patterns in parameters, let, loop, for and lambdas.
-- ==
-- input { 3 4 } output { 7 12 [4, 6] 10 5 }

type wrapped = #wrapped i32

def add (a: i32, b: i32) = a + b
def times {x: i32, y = z: i32} = x * z
def open_it ((#wrapped x): wrapped) = x
def nothing () = 5i32

def main (x: i32) (y: i32) =
  let (s, _) = (add (x, y), 'c' : u8)
  let p = times {x, y}
  let {left = (l, r), right} = {left = (x, 1i32), right = #wrapped y : wrapped}
  let sums = map (\(a, (b, _): (i32, i32)) -> a + b) [(l, (r, 0)), (2, (open_it right, 1))]
  let (total, _) = loop (acc, i) = (0i32, 1i32) for (a, b) in [(x, y), (1i32, 2i32)] do (acc + a + b, i + 1)
  in (s, p, sums, total, nothing ())
