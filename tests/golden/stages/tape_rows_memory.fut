-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --renumber --stage=memory
-- WHY what a round computes is made in the row of the tape that the next round reads; nothing is copied
entry main [n] (xs: [n]f64) (ys: [n]f64) =
  vjp (\xs -> loop x = xs for _i < 5i64 do map (\y -> y * y) x) xs ys
