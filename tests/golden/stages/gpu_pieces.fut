-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --emit=device-imp --renumber --explain=lowering
-- All points go through the same array: a group loads pieces of it, one while it uses the other.
entry main [n] [m] (xs: [n]f32) (ys: [m]f32) : [n]f32 =
  map (\x -> loop s = 0 for k < m do f32.max s (x - ys[k])) xs
