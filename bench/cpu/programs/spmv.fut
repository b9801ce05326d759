-- SPDX-License-Identifier: Apache-2.0
-- A sparse matrix, in compressed rows, times a vector.
def main [r] [nnz] [m] (offsets: [r]i64) (columns: [nnz]i32) (values: [nnz]f32) (x: [m]f32) : []f32 =
  map (\i -> let begin = offsets[i]
             let end = offsets[i + 1]
             in f32.sum (map2 (\c v -> v * x[i64.i32 c]) columns[begin:end] values[begin:end]))
      (iota (r - 1))
