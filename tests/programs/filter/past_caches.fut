-- SPDX-License-Identifier: Apache-2.0
-- Results so large that they are written past the caches: counted first, then collected line by line; arrays of
-- different widths, values that are computed, hardly any, some and all of the points.
-- ==
-- entry: elements
-- compiled large input { 4200001i64 1i64 } output { true }
-- compiled large input { 4200001i64 2i64 } output { true }
-- compiled large input { 4300007i64 1000i64 } output { true }
-- compiled large input { 4194304i64 5000000i64 } output { true }
-- ==
-- entry: computed
-- compiled large input { 4200001i64 1i64 } output { true }
-- compiled large input { 4200001i64 2i64 } output { true }
-- compiled large input { 4300007i64 1000i64 } output { true }
-- compiled large input { 4194304i64 5000000i64 } output { true }
-- ==
-- entry: pairs
-- compiled large input { 4200001i64 1i64 } output { true }
-- compiled large input { 4200001i64 2i64 } output { true }
-- compiled large input { 4300007i64 1000i64 } output { true }
-- compiled large input { 4194304i64 5000000i64 } output { true }
-- ==
-- entry: bytes
-- compiled large input { 16777300i64 3i64 } output { true }
-- compiled large input { 16777300i64 1i64 } output { true }

-- Every k-th point is chosen.
def is_right [m] (n: i64) (k: i64) (value: i64 -> i64) (xs: [m]i64) : bool =
  m == (n + k - 1) / k && all (\j -> xs[j] == value (j * k)) (iota m)

-- Negative apart from every k-th one.
def marked (n: i64) (k: i64) (value: i64 -> i32) : *[n]i32 =
  let every = replicate n (-1i32)
  in every with [0:n:k] = map value (0..k..<n)

entry elements (n: i64) (k: i64) : bool =
  is_right n k id (map i64.i32 (filter (>= 0) (marked n k i32.i64)))

entry computed (n: i64) (k: i64) : bool =
  let xs = marked n k i32.i64
  let (made, _) = unzip (filter (\(_, x) -> x >= 0) (map (\x -> (x * 2 + 1, x)) xs))
  in is_right n k (\i -> i * 2 + 1) (map i64.i32 made)

entry pairs (n: i64) (k: i64) : bool =
  let xs = marked n k i32.i64
  let ys = reverse (map f64.i64 (scatter (replicate n 0) (iota n) (map (n -) (iota n))))
  let (some, others) = unzip (filter (\(x, _) -> x >= 0) (zip xs ys))
  in is_right n k id (map i64.i32 some) && is_right n k (+ 1) (map i64.f64 others)

entry bytes (n: i64) (k: i64) : bool =
  let xs = map u8.i32 (marked n k (\i -> i32.i64 (i % 200)))
  let kept = filter (< 201) (copy xs)
  in is_right n k (% 200) (map i64.u8 kept)
