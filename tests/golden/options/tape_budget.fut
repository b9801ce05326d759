-- SPDX-License-Identifier: Apache-2.0
-- RUN run --backend=interp --param differentiate.tape_memory=1000
-- A budget for tapes that even three levels of loops cannot keep.
entry main : [100]f64 =
  vjp (\x -> loop y = x for _i < 1000i64 do map f64.sin y) (replicate 100 0.5) (replicate 100 1)
