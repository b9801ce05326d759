-- SPDX-License-Identifier: Apache-2.0
-- Arrays that nests read from outside: writes to known places become sums, others stay writes.
import "compare"

def matmul [m] [n] [q] (a: [m][q]f64) (b: [q][n]f64) : [m][n]f64 =
  map (\x -> map (\y -> f64.sum (map2 (*) x y)) (transpose b)) a

-- All of two matrices, of sizes that differ.
-- ==
-- entry: products scaled rows_of_several
-- no_opencl input { 3i64 4i64 5i64 } output { true }
entry products (m: i64) (n: i64) (q: i64) =
  check (\(x: [m * q + q * n]f64) ->
           let a = unflatten (take (m * q) x)
           let b = unflatten (drop (m * q) x :> [q * n]f64)
           in flatten (matmul a b))

-- What is computed for a row is needed by each of its columns.
entry scaled (m: i64) (n: i64) (q: i64) =
  check (\(x: [m * q + q * n]f64) ->
           let a = unflatten (take (m * q) x)
           let b = unflatten (drop (m * q) x :> [q * n]f64)
           in map (\xs ->
                     let most = f64.maximum xs
                     let weights = map (\y -> f64.exp (f64.sum (map2 (*) xs y) - most)) (transpose b)
                     in f64.log (f64.sum weights))
                  a)

-- Three maps around one array.
entry rows_of_several (m: i64) (n: i64) (q: i64) =
  check (\(c: [q]f64) ->
           flatten (tabulate_2d m n (\i j -> f64.sum (map (\x -> x * f64.i64 (i + j + 1) * x) c))))

-- Indices that are moved, and brought back at the ends.
-- ==
-- entry: one_sided outside partly
-- no_opencl input { 7i64 } output { true }
-- no_opencl input { 1i64 } output { true }
-- no_opencl input { 2i64 } output { true }
-- ==
-- entry: clamped
-- input { 7i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
entry clamped (n: i64) =
  check (\(u: [n]f64) ->
           let at i = u[i64.min (n - 1) (i64.max 0 i)]
           in tabulate n (\i -> at (i - 1) * u[i] + at (i + 1) * 2 + f64.sin (at (i - 2)) * at (i + 2)))

entry one_sided (n: i64) =
  check (\(u: [n]f64) -> tabulate n (\i -> u[i64.min (n - 1) (i + 1)] * u[i64.max 0 (i - 1)]))

entry outside (n: i64) =
  check (\(u: [n]f64) -> tabulate n (\i -> (if i > 0 then u[i - 1] * u[i] else 1) + (if i + 1 < n then u[i + 1] else 0)))

-- Only the first three of four.
entry partly (n: i64) =
  check (\(c: [4]f64) -> tabulate n (\i -> f64.sum (map (\j -> c[j] * c[j] * f64.i64 (i + j)) (iota 3))))

-- Places that are computed.
-- ==
-- entry: computed
-- input { 9i64 } output { true }
entry computed (n: i64) =
  check (\(u: [n]f64) -> tabulate n (\i -> u[(i * i + 1) % n] * u[i]))

-- Two dimensions, one moved.
-- ==
-- entry: heat
-- input { 4i64 5i64 } output { true }
entry heat (n: i64) (m: i64) =
  check (\(x: [n * m]f64) ->
           let start = unflatten x
           let result = loop u = start for _i < 3i64 do
                          tabulate_2d n m (\i j ->
                            let at i j = u[i64.min (n - 1) (i64.max 0 i), i64.min (m - 1) (i64.max 0 j)]
                            in u[i, j] + 0.1 * u[i, j] * (at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1) - 4 * u[i, j]))
           in flatten result)

-- A stencil of two dimensions, whose ends are brought back.
-- ==
-- entry: plane
-- input { 1i64 1i64 } output { true }
-- input { 1i64 5i64 } output { true }
-- input { 6i64 2i64 } output { true }
-- input { 4i64 7i64 } output { true }
entry plane (n: i64) (m: i64) =
  check (\(x: [n * m + 2]f64) ->
           let u = unflatten (take (n * m) x)
           let c = x[n * m]
           let d = x[n * m + 1]
           let at i j = u[i64.min (n - 1) (i64.max 0 i), i64.min (m - 1) (i64.max 0 j)]
           in flatten (tabulate_2d n m (\i j ->
                let y = u[i, j]
                in y + (c + d * y) * (at (i - 1) j + at (i + 2) j + at i (j - 2) + at i (j + 1) - 4 * y))))

-- Each row uses one part of a matrix, known or computed.
-- ==
-- entry: one_row_of_each one_row_by_number computed_row
-- input { 1i64 3i64 } output { true }
-- input { 9i64 5i64 } output { true }
entry one_row_of_each (n: i64) (b: i64) =
  check (\(x: [b * 12]f64) ->
           let bones = unflatten_3d (x :> [b * 3 * 4]f64)
           in map (\i -> f64.sum (map (\bone -> f64.sum (map (* f64.i64 i) bone[1])) bones)) (iota n))

entry one_row_by_number (n: i64) (b: i64) =
  check (\(x: [b * 12]f64) ->
           let bones = unflatten_3d (x :> [b * 3 * 4]f64)
           in flatten (map (\i -> map (\r -> f64.sum (map (\bone -> f64.sum (map (\y -> y * y * f64.i64 (i + 1)) bone[r])) bones)) (iota 3)) (iota n)))

entry computed_row (n: i64) (b: i64) =
  check (\(x: [b * 12]f64) ->
           let bones = unflatten_3d (x :> [b * 3 * 4]f64)
           in map (\i -> f64.sum (map (\bone -> f64.product bone[(i * 7) % 3]) bones)) (iota n))

-- Several constant places of each row.  With many rows the writes stay, because functions would be computed twice.
-- ==
-- entry: columns_of_a_table
-- input { 1i64 3i64 } output { true }
-- input { 20i64 6i64 } output { true }
-- input { 3000i64 5i64 } output { true }
-- input { 3000i64 0i64 } output { true }
entry columns_of_a_table (n: i64) (w: i64) =
  check (\(x: [n + w * 4]f64) ->
           let table = unflatten (drop n x :> [w * 4]f64)
           in map (\e -> f64.sum (map (\p -> p[0] * f64.sin (p[3] * e) + p[2] / (1 + p[0] * p[0]) - p[3]) table)) (take n x))
