-- SPDX-License-Identifier: Apache-2.0
def mul [n] [m] (a: [n][m]f32) (v: [n]f32) : [n]f32 =
  map (\row -> f32.sum (map2 (*) row v)) a
