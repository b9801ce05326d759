-- SPDX-License-Identifier: Apache-2.0
-- Names for types, with sizes as parameters.

type pixel = {r: u8, g: u8, b: u8}
type vector [n] = [n]f32
type pair 'a = (a, a)

def grey (p: pixel) : u8 = u8.i32 ((i32.u8 p.r + i32.u8 p.g + i32.u8 p.b) / 3)
def scale [n] (k: f32) (v: vector [n]) : vector [n] = map (* k) v
def swap (p: pair i32) : pair i32 = (p.1, p.0)

-- ==
-- entry: greys
-- input { 10u8 20u8 30u8 } output { 20u8 }
-- input { 255u8 255u8 255u8 } output { 255u8 }
entry greys (r: u8) (g: u8) (b: u8) : u8 = grey {r, g, b}

-- ==
-- entry: scaled
-- input { 2f32 [1f32, 2f32] } output { [2f32, 4f32] }
entry scaled [n] (k: f32) (v: [n]f32) : [n]f32 = scale k v

-- ==
-- entry: swapped
-- input { 1i32 2i32 } output { 2i32 1i32 }
entry swapped (a: i32) (b: i32) : (i32, i32) = swap (a, b)
