-- SPDX-License-Identifier: Apache-2.0
-- More of products_in_loops.fut, of which devices make much code: their values are stored for the backward loop, and what they take from outside gets its cotangent from
-- one product over all rounds.  Compared with differences and between modes (compare.fut).

import "compare"

def dot [n] (a: [n]f64) (b: [n]f64) = f64.sum (map2 (*) a b)
def matmul [m] [n] [q] (a: [m][q]f64) (b: [n][q]f64) : [m][n]f64 = map (\x -> map (\y -> dot x y) b) a
def numbers (n: i64) = map (\i -> f64.i64 (i * 7 % 11) / 16 - 0.25) (iota n)
def table (n: i64) (m: i64) = unflatten (numbers (n * m))
def square [n] (k: i64) (xs: [n]f64) : [k][k]f64 = tabulate_2d k k (\i j -> xs[(i * k + j) % n])

-- A product of what the round has computed, in a `while` loop, with weights that change every second round.
-- ==
-- entry: computed
-- input { 6i64 3i64 } output { true }
entry computed (t: i64) (h: i64) =
  check (\(w: [9]f64) ->
           let (a, b) = (square h w, square h (reverse w))
           let (s, _) = loop (s, i) = (table 2 h, 0) while i < t do
                          let mid = map (map (\x -> x * f64.cos x + 0.1)) s
                          let both = if i % 2 == 0 then a else b
                          let next = map2 (map2 (+)) (matmul mid a) (matmul s both)
                          in (map (map (\x -> x / (1 + x * x))) next, i + 1)
           in flatten s)

-- Inside of a map, and the matrix is the state of a loop around.
-- ==
-- entry: nested
-- input { 3i64 2i64 3i64 } output { true }
entry nested (n: i64) (t: i64) (h: i64) =
  check (\(w: [9]f64) ->
           let a = square h w
           let each = \(k: i64) -> loop s = map (+ f64.i64 k / 8) (numbers h) for _i < t do
                                     map (\r -> f64.sin (dot r s)) a
           let starts = flatten (map each (iota n))
           let powers = loop m = a for _i < t do
                          let v = loop s = numbers h for _j < 2i64 do map (\r -> f64.sin (dot r s)) m
                          in map2 (\row x -> map (\y -> f64.cos (x * y)) row) m v
           in starts ++ flatten powers)

-- Derivatives of derivatives.
-- ==
-- entry: twice
-- input { 2i64 3i64 } output { true }
entry twice (t: i64) (h: i64) =
  check (\(w: [4]f64) ->
           let f = \v -> let a = square h v
                         let s = loop s = table 2 h for _i < t do map (map f64.sin) (matmul s a)
                         in f64.sum (flatten s)
           in vjp f w 1)
