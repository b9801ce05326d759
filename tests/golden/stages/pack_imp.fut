-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=stream --disable=caches
-- A filter of pairs: values and members in vectors, then packed.
entry main [n] (xs: [n]i32) (ys: [n]u8) : ([]i32, []u8) =
  unzip (filter (\(x, y) -> x > i32.u8 y) (zip xs ys))
