-- SPDX-License-Identifier: Apache-2.0
module vector = { def dot (a: f32) (b: f32) = a * b }
def square (x: f32) : f32 = dot x x
