-- SPDX-License-Identifier: Apache-2.0
-- Rows of a length that is known are scanned, and what was scanned says where elements go: one step of a radix sort, with
-- counts in several words.
-- ==
-- entry: narrow
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 37i64 } output { true }
-- ==
-- entry: wide
-- input { 0i64 } output { true }
-- input { 5i64 } output { true }
-- ==
-- entry: unlike
-- input { 3i64 } output { true }

def key (i: i64) : i64 = (i * 7919 + 13) % 16

def sorts [n] (keys: [n]i64) (places: [n]i64) : bool =
  let sorted = scatter (replicate n (-1)) places (iota n)
  in all (\j -> sorted[j] >= 0 && (j == 0 || (let (a, b) = (sorted[j - 1], sorted[j])
                                               in keys[a] < keys[b] || (keys[a] == keys[b] && a < b)))) (iota n)

-- Sixteen counts of eight bits in two words; a warp has a row of 128.
entry narrow (b: i64) : bool =
  let xss = tabulate_2d b 128 (\i j -> u32.i64 (key (i * 128 + j)))
  let one x = let bit = 1u64 << (8 * (u64.u32 x & 7)) in (if x < 8 then bit else 0, if x < 8 then 0 else bit)
  let add (p, q) (r, s) = (p + r, q + s) : (u64, u64)
  let count (p, q) (x: u32) = i64.u64 (((if x < 8 then p else q) >> (8 * (u64.u32 x & 7))) & 255)
  let totals = map (\xs -> reduce_comm add (0, 0) (map one xs)) xss
  let all_counts = flatten (tabulate_2d 16 b (\d i -> count totals[i] (u32.i64 d)))
  let starts = map2 (-) (scan (+) 0 all_counts) all_counts
  let places = map2 (\i xs -> map2 (\x sum -> #[unsafe] starts[i64.u32 x * b + i] + count sum x - 1) xs (scan add (0, 0) (map one xs)))
                    (iota b) xss
  let sorted = scatter (replicate (b * 128) 0) (flatten places) (flatten xss)
  in all (\j -> j == 0 || sorted[j - 1] <= sorted[j]) (iota (b * 128)) &&
     sorts (map key (iota (b * 128))) (flatten places :> [b * 128]i64)

-- Four words; several warps have a row.
entry wide (b: i64) : bool =
  let xss = tabulate_2d b 1024 (\i j -> i32.i64 (key (i * 1024 + j)))
  let one x = (if x < 4 then 1i64 else 0, if x < 8 then 1 else 0, if x < 12 then 1 else 0, i64.i32 x)
  let sums = map (\xs -> scan (\(p, q, r, s) (t, u, v, w) -> (p + t, q + u, r + v, s + w)) (0, 0, 0, 0) (map one xs)) xss
  in and (flatten (map2 (\xs row -> map3 (\j x (p, q, r, s) ->
       let before (f: i32 -> i64) = if j == 0 then 0 else f xs[j - 1]
       let (a, b, c, d) = if j == 0 then (0, 0, 0, 0) else row[j - 1]
       let (e, f, g, h) = one x
       in before (const 0) == 0 && p == a + e && q == b + f && r == c + g && s == d + h) (iota 1024) xs row) xss sums))

-- Matrices, which do not commute; rows of 24 are no power of two of sets of four points.
entry unlike (b: i64) : bool =
  let step m (xss: [b][m]i32) =
    let products = map (\xs -> scan (\(p, q, r, s) (t, u, v, w) -> (p * t + q * v, p * u + q * w, r * t + s * v, r * u + s * w))
                                    (1i64, 0i64, 0i64, 1i64) (map (\x -> (i64.i32 x, 1, 1, 0)) xs)) xss
    in and (flatten (map2 (\xs row -> map2 (\j (p, q, r, s) ->
         let (a, b, c, d) = if j == 0 then (1, 0, 0, 1) else row[j - 1]
         let x = i64.i32 xs[j]
         in p == a * x + b && q == a && r == c * x + d && s == c) (iota m) row) xss products))
  in step 32 (tabulate_2d b 32 (\i j -> i32.i64 (i + j) & 3)) && step 24 (tabulate_2d b 24 (\i j -> i32.i64 (i + j) & 3))
