-- SPDX-License-Identifier: Apache-2.0
def dot [n] [m] (a: [n]f32) (b: [m]f32) : f32 =
  f32.sum (map2 (*) a b)
