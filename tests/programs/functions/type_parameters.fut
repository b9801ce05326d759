-- SPDX-License-Identifier: Apache-2.0
-- Functions that work for elements of any type.

def pair 'a 'b (x: a) (y: b) : (a, b) = (x, y)
def twice 'a (f: a -> a) (x: a) : a = f (f x)
def first 'a [n] (xs: [n]a) : a = xs[0]

-- ==
-- entry: pairs
-- input { 1i32 2.5f64 } output { 1i32 2.5f64 2.5f64 1i32 }
entry pairs (x: i32) (y: f64) : (i32, f64, f64, i32) =
  let (a, b) = pair x y
  let (c, d) = pair y x
  in (a, b, c, d)

-- ==
-- entry: apply_twice
-- input { 3i32 3f32 } output { 12i32 9f32 }
entry apply_twice (x: i32) (y: f32) : (i32, f32) = (twice (* 2) x, twice (+ 3) y)

-- ==
-- entry: firsts
-- input { [7i32, 8i32] [[1f32, 2f32], [3f32, 4f32]] } output { 7i32 [1f32, 2f32] }
entry firsts [n] [k] [m] (xs: [n]i32) (ys: [k][m]f32) : (i32, [m]f32) = (first xs, first ys)
