-- SPDX-License-Identifier: Apache-2.0
-- Indices that are no bins, no bins, no points, few points for many bins, sums that wrap around, NaN.

-- Every fourth point goes to a bin; the others lie outside, some of them so far that their low 32 bits are a bin.
-- ==
-- entry: outside
-- input { 8i64 3i64 } output { [1i32, 1i32, 0i32] }
-- input { 100i64 1i64 } output { [25i32] }
-- compiled input { 400000i64 2i64 } output { [50000i32, 50000i32] }
def outside_of (h: i64) (i: i64) : i64 =
  let k = i / 4 % h
  in if i % 4 == 0 then k else if i % 4 == 1 then -1 - k * (1 << 40) else if i % 4 == 2 then k + (1 << 32) else i64.lowest + k
entry outside (n: i64) (h: i64) : [h]i32 =
  hist (+) 0 h (map (outside_of h) (iota n)) (replicate n 1)

-- The same with many bins, where devices sort points first.
-- ==
-- entry: outside_many
-- compiled input { 1200000i64 150000i64 } output { 300000i64 2i32 }
entry outside_many (n: i64) (h: i64) : (i64, i32) =
  let bins = hist (+) 0 h (map (outside_of h) (iota n)) (replicate n 1)
  in (i64.sum (map i64.i32 bins), i32.maximum bins)

-- ==
-- entry: all_outside
-- input { 10i64 4i64 } output { [7i64, 7i64, 7i64, 7i64] }
-- compiled input { 300000i64 4i64 } output { [7i64, 7i64, 7i64, 7i64] }
entry all_outside (n: i64) (h: i64) : [h]i64 =
  reduce_by_index (replicate h 7) i64.max i64.lowest (map (\i -> h + i) (iota n)) (iota n)

-- ==
-- entry: nothing
-- input { 0i64 0i64 } output { empty([0]i32) empty([0]i32) }
-- input { 100i64 0i64 } output { empty([0]i32) empty([0]i32) }
-- compiled input { 300000i64 0i64 } output { empty([0]i32) empty([0]i32) }
-- input { 0i64 2i64 } output { [5i32, 5i32] [6i32, 6i32] }
entry nothing (n: i64) (h: i64) : ([h]i32, [h]i32) =
  reduce_by_index (replicate h (5, 6)) (\(a, b) (c, d) -> (a + c, b * d)) (0, 1) (iota n) (replicate n (1, 2)) |> unzip

-- A thousand times more bins than points.
-- ==
-- entry: few_points
-- input { 3i64 3000i64 } output { 3i64 3i64 }
-- compiled input { 5000i64 5000000i64 } output { 5000i64 5000i64 }
entry few_points (n: i64) (h: i64) : (i64, i64) =
  let bins = hist (+) 0i32 h (map (\i -> (i + 1) * (h / n) - 1) (iota n)) (replicate n 1i32)
  in (i64.sum (map i64.i32 bins), i64.sum (map (\b -> i64.bool (b > 0)) bins))

-- Sums are those of their type: these wrap around.
-- ==
-- entry: wraps
-- input { 16i64 } output { [0i32] [0xf0000000u32] }
-- compiled input { 262144i64 } output { [0i32] [0u32] }
entry wraps (n: i64) : ([1]i32, [1]u32) =
  (hist (+) 0 1 (replicate n 0) (replicate n 0x10000000),
   hist (+) 0 1 (replicate n 0) (replicate n 0xff000000u32))

-- NaN is no number: the least and the largest of others stay.
-- ==
-- entry: not_a_number
-- input { 12i64 } output { [9f32, 10f32] [0f32, 1f32] }
-- compiled input { 300000i64 } output { [299997f32, 299998f32] [0f32, 1f32] }
entry not_a_number (n: i64) : ([2]f32, [2]f32) =
  let value i = if i % 3 == 2 then f32.nan else f32.i64 i
  let bins = map (% 2) (map (\i -> if i % 3 == 2 then i else i % 3) (iota n))
  in (hist f32.max (-f32.inf) 2 bins (map value (iota n)), hist f32.min f32.inf 2 bins (map value (iota n)))

-- An operator that is not associative: the value is unspecified, but there is one.
-- ==
-- entry: not_associative
-- input { 100i64 } output { 3i64 }
-- compiled input { 300000i64 } output { 3i64 }
entry not_associative (n: i64) : i64 =
  length (hist (\a b -> a - 2 * b) 0i32 3 (map (% 4) (iota n)) (map i32.i64 (iota n)))
