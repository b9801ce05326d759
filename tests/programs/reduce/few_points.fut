-- SPDX-License-Identifier: Apache-2.0
-- Few points that all go through the same many values: on devices groups share the values of a point.
-- ==
-- entry: sums several
-- input { 200i64 5000i64 } output { true }
-- input { 128i64 2048i64 } output { true }
-- input { 130i64 2047i64 } output { true }
-- compiled input { 700i64 50001i64 } output { true }
-- compiled input { 3000i64 7777i64 } output { true }

def values (n: i64) (k: i64) = opaque (tabulate n (\i -> f64.i64 (i * 7919 % k) / 4))

-- All sums are exact.
entry sums (n: i64) (m: i64) : bool =
  let (xs, ys) = (values n 17, values m 101)
  let found = map (\x -> f64.sum (map (\y -> f64.abs (x - y) * y) ys)) xs
  let wanted = map (\x -> loop sum = 0 for y in ys do sum + f64.abs (x - y) * y) xs
  in and (map2 (==) found wanted)

entry several (n: i64) (m: i64) : bool =
  let (xs, ys) = (values n 17, values m 101)
  let combine (a: f64, b: f64, c: i64) (d: f64, e: f64, f: i64) = (a + d, f64.max b e, c + f)
  let one x y = (x * y, (x - y) * (x - y), i64.bool (x < y))
  let found = map (\x -> reduce_comm combine (0, 0, 0) (map (one x) ys)) xs
  let wanted = map (\x -> loop acc = (0, 0, 0) for y in ys do combine acc (one x y)) xs
  in and (map2 (\(a, b, c) (d, e, f) -> a == d && b == e && c == f) found wanted)
