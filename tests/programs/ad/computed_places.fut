-- SPDX-License-Identifier: Apache-2.0
-- Iterations that write to computed places and add something up: chunks of them have arrays of their own
-- where there is much to do, and run one after the other where there is little.

def f [n] [m] (xs: [n]f64) (places: [n][4]i64) (table: [m][3]f64) : [n]f64 =
  map2 (\x at ->
          loop sum = 0 for j < 4 do
            let inner = loop y = 0 for c < 3 do y + x * table[at[j], c] * table[at[j], 2 - c]
            in sum + inner * inner)
       xs places

def inputs (n: i64) (m: i64) =
  (map (\i -> f64.i64 (i % 7) / 8) (iota n),
   map (\i -> map (\j -> (i * 5 + j * 3) % m) (iota 4)) (iota n),
   map (\i -> map (\c -> f64.i64 ((i + c) % 5) / 4) (iota 3)) (iota m))

def gradients (n: i64) (m: i64) =
  let (xs, places, table) = inputs n m
  in vjp (\(x, t) -> f x places t) (xs, table) (replicate n 1)

-- <v, J u> = <J' v, u>, by sums of numbers that have no error.
def agree (n: i64) (m: i64) : bool =
  let (xs, places, table) = inputs n m
  let along = jvp (\(x, t) -> f x places t) (xs, table) (xs, table)
  let (dx, dt) = gradients n m
  let left = f64.sum along
  let right = f64.sum (map2 (*) xs dx) + f64.sum (map2 (*) (flatten table) (flatten dt))
  in f64.abs (left - right) <= 1e-9 * f64.abs left

-- The last chunk is shorter than the others (20011), there is nothing to do (0), or little beside the table.
-- ==
-- entry: agrees
-- input { [0i64, 1i64, 5i64, 20011i64, 20000i64, 300i64] [3i64, 3i64, 3i64, 17i64, 1i64, 90000i64] }
-- output { [true, true, true, true, true, true] }
entry agrees (ns: [6]i64) (ms: [6]i64) : [6]bool =
  loop ok = replicate 6 false for k < 6 do ok with [k] = agree ns[k] ms[k]

-- What iterations give besides, rows of them too.
-- ==
-- entry: rows
-- input { 20011i64 17i64 } output { 20011i64 true }
entry rows (n: i64) (m: i64) : (i64, bool) =
  let (dx, dt) = gradients n m
  let (xs, places, table) = inputs n m
  let one i = (vjp (\x -> f [x] [places[i]] table) xs[i] [1])
  in (length dx, all (\i -> f64.abs (dx[i] - one i) <= 1e-9) [0, 1, 9999, 20009, 20010] && length dt == m)
