-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --device=gpu --stage=kernels --renumber
-- Histograms over flattened arrays are one kernel with what makes these.
entry keys [n] (h: i64) (xs: [n]i32) : [h]i32 =
  let ks = flatten (map (\x -> map (\j -> i64.i32 (x + i32.i64 j)) (iota 16)) xs)
  in hist (+) 0 h ks (map i32.i64 ks)

entry pairs [m] [n] (h: i64) (xss: [m][n]i64) : [m][h]i32 =
  map (\xs -> hist (+) 0 h (flatten (map (\x -> map (\y -> x ^ y) xs) xs)) (replicate (n * n) 1)) xss
