-- SPDX-License-Identifier: Apache-2.0
-- Reductions of every length from 0 on: whole groups of lanes, some lanes, single points.
-- Numbers are such that sums of floats are exact.

def by_loop 't (op: t -> t -> t) (ne: t) (xs: []t) : t = loop acc = ne for x in xs do op acc x

def numbers (n: i64) : [n]i32 = map (\i -> i32.i64 (i * 7919 % 1009) - 400) (iota n)

-- ==
-- entry: sums_i32 sums_f32 sums_f64 sums_i8 extremes outputs
-- input { 300i64 } output { true }
-- input { 1000i64 } output { true }
entry sums_i32 (most: i64) : bool =
  all (\n -> let xs = numbers n in i32.sum xs == by_loop (+) 0 xs) (iota most)

entry sums_f32 (most: i64) : bool =
  all (\n -> let xs = map f32.i32 (numbers n) in f32.sum xs == by_loop (+) 0 xs) (iota most)

entry sums_f64 (most: i64) : bool =
  all (\n -> let xs = map f64.i32 (numbers n) in f64.sum xs == by_loop (+) 0 xs) (iota most)

entry sums_i8 (most: i64) : bool =
  all (\n -> let xs = map i8.i32 (numbers n) in i8.sum xs == by_loop (+) 0 xs) (iota most)

entry extremes (most: i64) : bool =
  all (\n -> let xs = numbers n
             in (i32.minimum xs, i32.maximum xs) == (by_loop i32.min i32.highest xs, by_loop i32.max i32.lowest xs))
      (iota most)

entry outputs (most: i64) : bool =
  all (\n -> let xs = numbers n
             let ys = map (* 3) xs
             in i32.sum ys == 3 * by_loop (+) 0 xs && and (map2 (\x y -> y == 3 * x) xs ys))
      (iota most)

-- The same in rows of one length, of which there may be few long or many short ones.
-- ==
-- entry: rows
-- input { 3i64 1i64 } output { true }
-- input { 100i64 37i64 } output { true }
-- input { 100i64 64i64 } output { true }
-- input { 100i64 127i64 } output { true }
-- input { 9i64 1029i64 } output { true }
-- input { 3i64 40000i64 } output { true }
entry rows (n: i64) (m: i64) : bool =
  let xss = unflatten (numbers (n * m))
  let fss = map (map f32.i32) xss
  in and (map2 (\xs total -> total == by_loop (+) 0 xs) xss (map i32.sum xss))
     && and (map2 (\xs total -> total == f32.i32 (by_loop (+) 0 xs)) xss (map f32.sum fss))

-- Sums over stretches of an array.
-- ==
-- entry: stretches
-- input { 2000i64 1i64 } output { true }
-- input { 2000i64 23i64 } output { true }
-- input { 2000i64 100i64 } output { true }
entry stretches (n: i64) (length: i64) : bool =
  let xs = map f32.i32 (numbers n)
  let totals = map (\i -> f32.sum xs[i:i + i % length]) (iota (n - length))
  in and (map2 (\i total -> total == by_loop (+) 0 xs[i:i + i % length]) (iota (n - length)) totals)
