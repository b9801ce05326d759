-- SPDX-License-Identifier: Apache-2.0
-- Functions that call functions, constants, and functions without type annotations.

def three : i32 = 3
def square (x: i32) : i32 = x * x
def hypotenuse_squared x y = square x + square y
def affine (a: i32) (b: i32) (x: i32) = a * x + b

-- ==
-- entry: nested
-- input { 3i32 4i32 } output { 25i32 }
entry nested (x: i32) (y: i32) : i32 = hypotenuse_squared x y

-- ==
-- entry: constant
-- input { 2i32 } output { 13i32 }
entry constant (x: i32) : i32 = square x + three * three

-- A function given fewer arguments is a function of the others.
-- ==
-- entry: partial
-- input { [1i32, 2i32, 3i32] } output { [12i32, 14i32, 16i32] }
entry partial [n] (xs: [n]i32) : [n]i32 = map (affine 2 10) xs
