-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --emit=device-imp --renumber --disable=gpu/several-points --exact
-- With `--exact`, products are rounded before they are added, and roots before something is divided by them.
entry main [n] (a: f32) (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (\x y -> (a * x + y) / f32.sqrt x) xs ys
