-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=caches
-- A histogram: bins that are computed wait in a buffer, values that are only read do not.
entry main (xs: [1000]i32) (vs: [1000]i32) : [16]i32 =
  hist i32.max 0 16 (map (\x -> i64.i32 (x * x // 100)) xs) vs
