-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --stage=kernels
-- Two writes of an iteration to one accumulator are one sink.
entry main [n] [k] (dest: *[k]f32) (xs: [n]f32) : [k]f32 =
  intrinsics.hist_stream dest
                         (+)
                         0
                         (\(acc: *intrinsics.acc ([k]f32)) x ->
                            let i = i64.f32 x
                            let part = x - f32.i64 i
                            in intrinsics.acc_write (intrinsics.acc_write acc i (1 - part)) (i + 1) part)
                         xs
