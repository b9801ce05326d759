-- SPDX-License-Identifier: Apache-2.0
-- Reductions of slices that begin and end anywhere: devices load several neighbouring elements at once where these are aligned.
-- Sums of floats are exact.

def bytes (n: i64) : [n]u8 = map (\i -> u8.i64 (i * 7919 % 251)) (iota n)

def by_loop (xs: []u8) : i64 = loop s = 0 for x in xs do s + i64.u8 x

-- ==
-- entry: sums_u8 sums_others pairs
-- input { 0i64 } output { true }
-- input { 40i64 } output { true }
-- input { 700i64 } output { true }
-- input { 5000i64 } output { true }
entry sums_u8 (n: i64) : bool =
  let xs = bytes (n + 40)
  in loop fine = true for b < 19 do
       loop fine for e in [0i64, 1, 7, 16] do
         let part = xs[b:n + b + e]
         in fine && i64.sum (map i64.u8 part) == by_loop part

entry sums_others (n: i64) : bool =
  let xs = bytes (n + 40)
  let (us, fs, ds) = (map u16.u8 xs, map f32.u8 xs, map f64.u8 xs)
  in loop fine = true for b < 9 do
       let sum = by_loop xs[b:n + b + 3]
       in fine && i64.sum (map i64.u16 us[b:n + b + 3]) == sum
          && f32.sum fs[b:n + b + 3] == f32.i64 sum
          && f64.sum ds[b:n + b + 3] == f64.i64 sum

-- Two arrays whose elements are aligned at the same points, or never.
entry pairs (n: i64) : bool =
  let xs = bytes (n + 40)
  let ys = map i32.u8 xs
  in loop fine = true for b in [0i64, 1, 3, 4, 17] do
       loop fine for c in [0i64, 1, 4, 5, 13] do
         let both = i64.sum (map2 (\x y -> i64.i32 y + i64.u8 x) (xs[b:n + b] :> [n]u8) (ys[c:n + c] :> [n]i32))
         in fine && both == by_loop xs[b:n + b] + by_loop xs[c:n + c]

-- Rows of bytes, some of which begin at odd places.
-- ==
-- entry: rows
-- input { 3i64 1i64 } output { true }
-- input { 300i64 15i64 } output { true }
-- input { 1300i64 3i64 } output { true }
-- input { 50i64 333i64 } output { true }
-- input { 50i64 336i64 } output { true }
-- input { 3i64 20001i64 } output { true }
entry rows (n: i64) (m: i64) : bool =
  let xss = unflatten (bytes (n * m))
  let all_sums = map (\xs -> i64.sum (map i64.u8 xs)) xss
  let inner_sums = map (\xs -> i64.sum (map i64.u8 xs[1:])) xss
  in and (map3 (\xs s t -> s == by_loop xs && t == by_loop xs[1:]) xss all_sums inner_sums)

-- The first of the greatest, of an operator whose order matters only for ties, and one whose order matters.
-- ==
-- entry: places
-- input { 1i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 70000i64 } output { true }
entry places (n: i64) : bool =
  let xs = bytes (n + 3)
  let best op = reduce_comm op (0u8, i64.highest) (zip (xs[3:] :> [n]u8) (iota n))
  let (x, i) = best (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j))
  let last = reduce (\a b -> if b == 255u8 then a else b) 255 xs[3:]
  in xs[3 + i] == x && all (\y -> y <= x) xs[3:] && all (\k -> xs[3 + k] < x) (iota i) && last == xs[n + 2]

-- Rows of every short length, and columns of few and many.
-- ==
-- entry: lengths
-- input { 1100i64 20i64 } output { true }
-- input { 3i64 70i64 } output { true }
entry lengths (n: i64) (most: i64) : bool =
  loop fine = true for m < most do
    let xss = unflatten (map i32.u8 (bytes (n * m)))
    let rows = map i32.sum xss
    let columns = map i32.sum (transpose xss)
    in fine && and (map2 (\xs s -> s == (loop s = 0 for x in xs do s + x)) xss rows)
       && and (map2 (\j s -> s == (loop s = 0 for i < n do s + xss[i, j])) (iota m) columns)
