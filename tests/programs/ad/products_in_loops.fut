-- SPDX-License-Identifier: Apache-2.0
-- Products inside of loops: their values are stored for the backward loop, and what they take from outside gets its cotangent from
-- one product over all rounds.  Compared with differences and between modes (compare.fut).

import "compare"

def dot [n] (a: [n]f64) (b: [n]f64) = f64.sum (map2 (*) a b)
def matmul [m] [n] [q] (a: [m][q]f64) (b: [n][q]f64) : [m][n]f64 = map (\x -> map (\y -> dot x y) b) a
def numbers (n: i64) = map (\i -> f64.i64 (i * 7 % 11) / 16 - 0.25) (iota n)
def table (n: i64) (m: i64) = unflatten (numbers (n * m))
def square [n] (k: i64) (xs: [n]f64) : [k][k]f64 = tabulate_2d k k (\i j -> xs[(i * k + j) % n])

-- A network with a state for each row; rows of the state are rows of one product after the loop.  The input of round i is
-- a row of an array from outside.
-- ==
-- entry: rows
-- input { 2i64 3i64 4i64 } output { true }
-- input { 5i64 2i64 3i64 } output { true }
-- input { 0i64 2i64 3i64 } output { true }
-- input { 3i64 1i64 1i64 } output { true }
entry rows (t: i64) (b: i64) (h: i64) =
  let input : [t][b][h]f64 = unflatten (unflatten (numbers (t * b * h)))
  in check (\(w: [12]f64) ->
              let (wx, wh) = (square h (take 5 w), square h (drop 5 w))
              let s = loop s = table b h for i < t do
                        map2 (map2 (\p q -> f64.tanh (p + q))) (matmul input[i] wx) (matmul s wh)
              in flatten s)

-- One row: a matrix times a vector.  The state is used by all rows of the matrix.
-- ==
-- entry: vector
-- input { 3i64 4i64 } output { true }
-- input { 1i64 20i64 } output { true }
entry vector (t: i64) (h: i64) =
  check (\(w: [7]f64) ->
           let a = square h w
           in loop s = numbers h for _i < t do map (\r -> f64.sin (dot r s)) a)

-- The same in two steps: a product that does nothing else.
-- ==
-- entry: steps
-- input { 3i64 4i64 } output { true }
-- input { 0i64 2i64 } output { true }
-- input { 1i64 20i64 } output { true }
entry steps (t: i64) (h: i64) =
  check (\(w: [7]f64) ->
           let a = square h w
           in loop s = numbers h for _i < t do map f64.sin (map (\r -> dot r s) a))

-- Known rows are read by numbers that maps do not give: a product, but not one over all rounds.
-- ==
-- entry: gathered
-- input { 3i64 4i64 } output { true }
entry gathered (t: i64) (h: i64) =
  check (\(w: [8]f64) ->
           loop s = numbers h for _i < t do
             map (\i -> f64.sin (f64.sum (map (\j -> w[(i * 3 + j * j) % 8] * s[j]) (iota h)))) (iota h))
