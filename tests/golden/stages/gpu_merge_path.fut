-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --emit=device-imp --renumber --explain=lowering
-- Rows of different lengths: equal shares of rows and elements, one launch.
entry main [n] [m] (offsets: [m]i64) (xs: [n]i32) : []i32 =
  map (\i -> i32.sum xs[offsets[i]:offsets[i + 1]]) (iota (m - 1))
