-- SPDX-License-Identifier: Apache-2.0
-- Functions as arguments, results and parts of records; composition and sections.
-- ==
-- entry: composed
-- input { 3 } output { 16 }
-- ==
-- entry: chosen
-- input { true 5 } output { 6 }
-- input { false 5 } output { 10 }
-- ==
-- entry: folded
-- input { [1, 2, 3] } output { 321 }

def twice 'a (f: a -> a) (x: a) : a = f (f x)
entry composed (x: i32) : i32 = (twice (+ 1) >-> (* 3) >-> (\y -> y + 1)) x

type^ ops = {next: i32 -> i32, double: i32 -> i32}
def ops: ops = {next = (1 +), double = \x -> x * 2}
entry chosen (b: bool) (x: i32) : i32 = if b then ops.next x else ops.double x

entry folded (xs: []i32) : i32 = foldl (\acc x -> acc + x) 0 (map2 (*) xs [1, 10, 100])
