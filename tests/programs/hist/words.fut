-- SPDX-License-Identifier: Apache-2.0
-- Operators by what a device may need for them: an instruction, sums that stay at a limit, one word for all components of a bin, locks.
-- Point i goes to bin (i * 7919 mod (h + 3)) - 1, so some points lie outside, and what a bin holds is known: of each h + 3 points that follow
-- each other one goes to a bin.  h + 3 is no multiple of 7919.

def bin_of (h: i64) (i: i64) : i64 = i * 7919 % (h + 3) - 1
def bins_of (n: i64) (h: i64) : [n]i64 = map (bin_of h) (iota n)

-- What the points of a bin are, by another way: the point of the first h + 3 that goes there.
def first_points (h: i64) : [h]i64 =
  scatter (replicate h 0) (bins_of (h + 3) h) (iota (h + 3))
def count (n: i64) (h: i64) (first: i64) : i64 = if first < n then (n - first - 1) / (h + 3) + 1 else 0
def last (n: i64) (h: i64) (first: i64) : i64 = first + (count n h first - 1) * (h + 3)

def same [h] 'a (equal: a -> a -> bool) (xs: [h]a) (ys: [h]a) : bool = and (map2 equal xs ys)

-- Counts, where the bins begin with other numbers than the neutral element.
-- ==
-- entry: counts
-- input { 0i64 5i64 } output { true }
-- input { 50i64 0i64 } output { true }
-- input { 50i64 7i64 } output { true }
-- input { 7i64 5000i64 } output { true }
-- compiled input { 100000i64 31i64 } output { true }
-- compiled input { 100001i64 2000i64 } output { true }
-- compiled input { 2100000i64 1000003i64 } output { true }
entry counts (n: i64) (h: i64) : bool =
  let bins = reduce_by_index (map i32.i64 (iota h)) (+) 0 (bins_of n h) (replicate n 1i32)
  in same (==) bins (map2 (\b p -> i32.i64 (b + count n h p)) (iota h) (first_points h))

-- Different values, summed up in 64 bits.
-- ==
-- entry: sums
-- input { 50i64 7i64 } output { true }
-- compiled input { 100001i64 2000i64 } output { true }
-- compiled input { 2100000i64 1000003i64 } output { true }
entry sums (n: i64) (h: i64) : bool =
  let bins = reduce_by_index (replicate h 5i64) (+) 0 (bins_of n h) (iota n)
  let expected p = let c = count n h p in 5 + c * p + (h + 3) * (c * (c - 1) / 2)
  in same (==) bins (map expected (first_points h))

-- Sums that stay at a limit; some values are larger than it, and so is what a bin begins with.
-- ==
-- entry: saturating
-- input { 50i64 7i64 1000i32 } output { true }
-- input { 50i64 7i64 3i32 } output { true }
-- compiled input { 100001i64 31i64 1000i32 } output { true }
-- compiled input { 100001i64 31i64 100000i32 } output { true }
-- compiled input { 100001i64 2000i64 2000000i32 } output { true }
-- compiled input { 2100000i64 1000003i64 2i32 } output { true }
entry saturating (n: i64) (h: i64) (value: i32) : bool =
  let limit = 0xffffff
  let bins = reduce_by_index (replicate h 0i32) (\a b -> i32.min (a + b) limit) 0 (bins_of n h) (replicate n value)
  in same (==) bins (map (\p -> i32.i64 (i64.min (i64.i32 limit) (count n h p * i64.i32 value))) (first_points h))

-- One word, and nothing known of the operator: remainders of products.
-- ==
-- entry: products
-- input { 50i64 7i64 } output { true }
-- compiled input { 100001i64 31i64 } output { true }
-- compiled input { 100001i64 2000i64 } output { true }
-- compiled input { 2100000i64 1000003i64 } output { true }
entry products (n: i64) (h: i64) : bool =
  let times a b = u32.u64 (u64.u32 a * u64.u32 b % 65537)
  let bins = reduce_by_index (replicate h 1u32) times 1 (bins_of n h) (replicate n 3)
  let power (k: i64) = (loop (r, b, k) = (1u32, 3u32, k) while k > 0 do (if k % 2 == 1 then times r b else r, times b b, k / 2)).0
  in same (==) bins (map (\p -> power (count n h p)) (first_points h))

-- Two components in one word: the largest value and the first point that has it.
-- ==
-- entry: argmax
-- input { 0i64 3i64 } output { true }
-- input { 50i64 7i64 } output { true }
-- compiled input { 100001i64 31i64 } output { true }
-- compiled input { 100001i64 2000i64 } output { true }
-- compiled input { 2100000i64 1000003i64 } output { true }
entry argmax (n: i64) (h: i64) : bool =
  let larger (i: i32, x: i32) (j: i32, y: i32) = if x > y then (i, x) else if y > x then (j, y) else if i < j then (i, x) else (j, y)
  let points = map (\i -> (i32.i64 i, i32.i64 (i / (4 * (h + 3))))) (iota n)
  let bins = reduce_by_index (replicate h (i32.highest, -1)) larger (i32.highest, i32.lowest) (bins_of n h) points
  let expected p =
    if p >= n then (i32.highest, -1)
    else let x = last n h p / (4 * (h + 3))
         let first = loop i = last n h p while i - (h + 3) >= 0 && (i - (h + 3)) / (4 * (h + 3)) == x do i - (h + 3)
         in (i32.i64 first, i32.i64 x)
  in same (\a b -> a.0 == b.0 && a.1 == b.1) bins (map expected (first_points h))

-- Components of different sizes in one word, of which one is a truth value and one a float.
-- ==
-- entry: mixed_word
-- input { 50i64 7i64 } output { true }
-- compiled input { 100001i64 31i64 } output { true }
-- compiled input { 2100000i64 1000003i64 } output { true }
entry mixed_word (n: i64) (h: i64) : bool =
  let both (a: bool, x: f32, s: i16) (b: bool, y: f32, t: i16) = (a || b, f32.max x y, s + t)
  let points = map (\i -> (i % 2 == 1, f32.i64 (i % 1000) - 500, -1i16)) (iota n)
  let bins = reduce_by_index (replicate h (false, -f32.inf, 3i16)) both (false, -f32.inf, 0) (bins_of n h) points
  let expected p =
    let ps = count n h p
    in loop (a, x, s) = (false, -f32.inf, 3i16) for k < ps do
         let i = p + k * (h + 3)
         in both (a, x, s) (i % 2 == 1, f32.i64 (i % 1000) - 500, -1)
  in same (\a b -> a.0 == b.0 && a.1 == b.1 && a.2 == b.2) bins (map expected (first_points h))

-- 16 bytes: the largest of the first components with its point, a sum and a count.
-- ==
-- entry: quadruples
-- input { 50i64 7i64 } output { true }
-- compiled input { 100001i64 31i64 } output { true }
-- compiled input { 100001i64 2000i64 } output { true }
-- compiled input { 300000i64 70000i64 } output { true }
entry quadruples (n: i64) (h: i64) : bool =
  let more (a: i32, b: i32, c: i32, d: i32) (e: i32, f: i32, g: i32, h: i32) =
    if a > e then (a, b + f, c, d + h) else (e, b + f, g, d + h)
  let points = map (\i -> (i32.i64 i, 1, i32.i64 (i + 1), 3)) (iota n)
  let bins = reduce_by_index (replicate h (-1, 0, 0, 0)) more (i32.lowest, 0, 0, 0) (bins_of n h) points
  let expected p =
    let c = i32.i64 (count n h p)
    in if c == 0 then (-1, 0, 0, 0) else (i32.i64 (last n h p), c, i32.i64 (last n h p + 1), 3 * c)
  in same (\a b -> a.0 == b.0 && a.1 == b.1 && a.2 == b.2 && a.3 == b.3) bins (map expected (first_points h))

-- All points in one bin, sorted points, and no point inside.
-- ==
-- entry: skewed
-- input { 50i64 7i64 } output { 50i32 -1i32 50i32 0i32 0i32 }
-- compiled input { 200000i64 31i64 } output { 200000i32 -1i32 200000i32 0i32 0i32 }
-- compiled input { 200000i64 50000i64 } output { 200000i32 -1i32 200000i32 0i32 0i32 }
-- compiled input { 2100000i64 1000003i64 } output { 2100000i32 -1i32 2100000i32 0i32 0i32 }
entry skewed (n: i64) (h: i64) =
  let sum f = i32.sum (hist (+) 0 h (map f (iota n)) (replicate n 1))
  let one = hist (+) 0 h (replicate n (h / 2)) (replicate n 1)
  let smallest = hist i32.min i32.highest h (replicate n (h / 2)) (map (\i -> i32.i64 (n - i) - 2) (iota n))
  in (one[h / 2], smallest[h / 2], sum (\i -> i * h / n), sum (\i -> -1 - i), sum (\i -> i64.highest - i))

-- NaN among floats.
-- ==
-- entry: not_numbers
-- input { 50i64 3i64 } output { [true, false, false] }
-- compiled input { 100000i64 3i64 } output { [true, false, false] }
entry not_numbers (n: i64) (h: i64) : [h]bool =
  let values = map (\i -> if i % h == 0 then f32.nan else f32.i64 i) (iota n)
  let joined (x: f32) (y: f32) = if f32.isnan x || f32.isnan y then f32.nan else f32.max x y
  in map f32.isnan (hist joined (-f32.inf) h (map (% h) (iota n)) values)

-- Two histograms of the same points beside an array, over a matrix.
-- ==
-- entry: beside
-- input { 3i64 5i64 } output { 15i32 105i64 15i64 }
-- compiled input { 300i64 500i64 } output { 150000i32 11249925000i64 150000i64 }
entry beside (n: i64) (m: i64) =
  let ks = tabulate_2d n m (\i j -> i * m + j) |> flatten
  let a = reduce_by_index (replicate 13 0i32) (+) 0 (map (% 13) ks) (map (const 1) ks)
  let b = reduce_by_index (replicate 1009 0i64) (+) 0 (map (% 1009) ks) ks
  let c = map (\k -> k - k / 2 * 2 + 1 - k % 2) ks
  in (i32.sum a, i64.sum b, i64.sum c)

-- Bins of two dimensions.
-- ==
-- entry: two_dimensions
-- input { 50i64 3i64 4i64 } output { true }
-- compiled input { 100000i64 40i64 50i64 } output { true }
-- compiled input { 2100000i64 1000i64 1001i64 } output { true }
entry two_dimensions (n: i64) (h: i64) (w: i64) : bool =
  let bins = reduce_by_index_2d (replicate h (replicate w 0i32)) (+) 0 (map (\i -> (i * 7919 % (h + 1), i % (w + 1))) (iota n)) (replicate n 1)
  let inside = i32.sum (map (\i -> i32.bool (i * 7919 % (h + 1) < h && i % (w + 1) < w)) (iota n))
  let weighted = i64.sum (map (\i -> let (a, b) = (i * 7919 % (h + 1), i % (w + 1)) in if a < h && b < w then (a * w + b) % 1009 else 0) (iota n))
  in i32.sum (flatten bins) == inside && i64.sum (map2 (\k x -> k % 1009 * i64.i32 x) (iota (h * w)) (flatten bins)) == weighted
