-- SPDX-License-Identifier: Apache-2.0
def dot (a: []f32) (b: []f32) : f32 = f32.sum (map2 (*) a b)
def norm3 (v: []f32) : f32 = f32.sum (map2 (*) v [1, 2, 3])
