-- SPDX-License-Identifier: Apache-2.0
-- Maps over slices that begin and end anywhere, of elements of all sizes: devices load and store several neighbouring ones at once.

def bytes (n: i64) : [n]u8 = map (\i -> u8.i64 (i * 7919 % 251)) (iota n)

-- ==
-- entry: same_size others mixed
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 4096i64 } output { true }
-- input { 9000i64 } output { true }
entry same_size (n: i64) : bool =
  let xs = bytes (n + 20)
  in loop fine = true for b < 18 do
       let ys = copy (map (+ 3) (xs[b:n + b] :> [n]u8))
       in fine && and (map2 (\i y -> y == xs[b + i] + 3) (iota n) ys)

entry others (n: i64) : bool =
  let xs = bytes (n + 20)
  let fs = map f32.u8 xs
  in loop fine = true for b < 6 do
       let narrower = copy (map (\x -> u8.f32 x ^ 1) (fs[b:n + b] :> [n]f32))
       let wider = copy (map (\x -> f64.u8 x * 0.5) (xs[b:n + b] :> [n]u8))
       in fine && and (map3 (\i x y -> x == xs[b + i] ^ 1 && y == f64.u8 xs[b + i] * 0.5) (iota n) narrower wider)

entry mixed (n: i64) : bool =
  let xs = bytes (n + 20)
  let ys = map i16.u8 xs
  in loop fine = true for b < 9 do
       let (zs, ws) = unzip (map2 (\x y -> (x > 100, i32.i16 y - i32.u8 x)) (xs[b:n + b] :> [n]u8) (ys[2 * b:n + 2 * b] :> [n]i16))
       let (zs, ws) = (copy zs, copy ws)
       in fine && and (map3 (\i z w -> z == (xs[b + i] > 100) && w == i32.i16 ys[2 * b + i] - i32.u8 xs[b + i]) (iota n) zs ws)

-- Rows of a wider array, whole sets of elements or not.
-- ==
-- entry: parts_of_rows
-- input { 1i64 100i64 } output { true }
-- input { 100i64 64i64 } output { true }
-- input { 100i64 80i64 } output { true }
-- input { 33i64 99i64 } output { true }
-- input { 5i64 5000i64 } output { true }
entry parts_of_rows (n: i64) (m: i64) : bool =
  let xss = unflatten (bytes (n * m))
  in loop fine = true for b in [0i64, 1, 8, 16] do
       let yss = map (\xs -> map (* 2) (xs[b:m - b] :> [m - 2 * b]u8)) xss
       in fine && and (map2 (\xs ys -> and (map2 (\j y -> y == xs[b + j] * 2) (iota (m - 2 * b)) ys)) xss yss)

-- A scatter beside a map.
-- ==
-- entry: reversed
-- input { 10i64 } output { true }
-- input { 5000i64 } output { true }
entry reversed (n: i64) : bool =
  let xs = bytes n
  let (ys, at) = unzip (map2 (\i x -> (x + 1, n - 1 - i)) (iota n) xs)
  let back = scatter (replicate n 0) at xs
  in and (map2 (\i y -> y == xs[i] + 1 && back[n - 1 - i] == xs[i]) (iota n) ys)
