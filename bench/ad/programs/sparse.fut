-- SPDX-License-Identifier: Apache-2.0
-- A sparse matrix times a vector: each row has k values in given columns.

def product [n] [k] [m] (columns: [n][k]i64) (values: [n][k]f64) (x: [m]f64) : [n]f64 =
  map2 (\cs vs -> f64.sum (map2 (\c v -> v * x[c]) cs vs)) columns values

entry primal [n] [k] [m] (columns: [n][k]i64) (values: [n][k]f64) (x: [m]f64) = product columns values x

entry forward [n] [k] [m] (columns: [n][k]i64) (values: [n][k]f64) (x: [m]f64) =
  jvp (\(v, y) -> product columns v y) (values, x) (values, x)

entry reverse [n] [k] [m] (columns: [n][k]i64) (values: [n][k]f64) (x: [m]f64) =
  vjp (\(v, y) -> product columns v y) (values, x) (replicate n 1)
