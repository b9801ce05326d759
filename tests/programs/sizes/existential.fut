-- SPDX-License-Identifier: Apache-2.0
-- Sizes known only at run time: existential results, type~, size-lifted parameters.
-- ==
-- entry: unknown
-- input { 3i64 } output { 5i64 3i64 2i64 [0i64, 1i64, 2i64] }

def numbers (n: i64) : ?[k].[k]i64 = iota (n + n % 2 + 1)

type~ bag = {items: []i64, first: bool}
def bag (n: i64) : bag = {items = iota n, first = n > 0}

def first_of '~a '~b (x: a) (_: b) : a = x

entry unknown (n: i64) =
  let xs = numbers n
  let b = bag n
  let ys = if n > 2 then [1i64, 2] else [1i64]
  in (length xs, length b.items, length ys, first_of b.items xs)

-- Sizes are expressions; names are bound by [n] in let and in types of functions.
-- ==
-- entry: named
-- input { [1, 2, 3] [4, 5] } output { 5i64 6i64 [1, 2, 3, 4, 5] 3i64 }

def pairs [n] [m] (xs: [n]i32) (ys: [m]i32) : [n * m](i32, i32) =
  flatten (map (\x -> map (\y -> (x, y)) ys) xs)

entry named (xs: []i32) (ys: []i32) =
  let [k] (both: [k]i32) = xs ++ ys
  let f [n] (zs: [n]i32) : i64 = n
  in (k, length (pairs xs ys), both, f xs)
