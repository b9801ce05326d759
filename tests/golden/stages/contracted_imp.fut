-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --emit=device-imp --renumber --disable=gpu/several-points
-- A product goes into a sum without being rounded before, and a reciprocal root is multiplied with.
entry main [n] (a: f32) (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (\x y -> (a * x + y) / f32.sqrt x) xs ys
