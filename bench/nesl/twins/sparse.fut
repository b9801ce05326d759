-- SPDX-License-Identifier: Apache-2.0
entry main [n] [m] [k] (lengths: [n]i64) (columns: [m]i64) (values: [m]f64) (x: [k]f64): [n]f64 =
  let starts = map2 (-) (scan (+) 0 lengths) lengths
  in map2 (\start length -> f64.sum (map2 (\c v -> v * x[c]) columns[start:start + length] values[start:start + length])) starts lengths
