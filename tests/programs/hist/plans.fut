-- SPDX-License-Identifier: Apache-2.0
-- Every way in which a histogram is made, by numbers of points and bins.  Point i goes to bin (i mod (h + 3)) - 1, so some points
-- lie below and above the bins, and what a bin must hold is known.

def bin_of (h: i64) (i: i64) : i64 = i % (h + 3) - 1
-- How many of n points go to bin b; the first and the last of them.
def count (n: i64) (h: i64) (b: i64) : i64 = if b + 1 < n then (n - b - 2) / (h + 3) + 1 else 0
def first (b: i64) : i64 = b + 1
def last (n: i64) (h: i64) (b: i64) : i64 = first b + (count n h b - 1) * (h + 3)

def check [k] 'a (expected: i64 -> a) (equal: a -> a -> bool) (bins: [k]a) : bool =
  and (map2 (\b x -> equal x (expected b)) (iota k) bins)

-- An exact operator.
-- ==
-- entry: adds
-- compiled input { 0i64 5i64 } output { true }
-- compiled input { 10i64 0i64 } output { true }
-- compiled input { 10i64 3i64 } output { true }
-- compiled input { 100000i64 0i64 } output { true }
-- compiled input { 100000i64 1i64 } output { true }
-- compiled input { 100003i64 16i64 } output { true }
-- compiled input { 100000i64 2048i64 } output { true }
-- compiled input { 100000i64 30000i64 } output { true }
-- compiled input { 100000i64 90000i64 } output { true }
-- compiled input { 100000i64 3000000i64 } output { true }
-- compiled input { 3000000i64 16i64 } output { true }
-- compiled input { 3000000i64 70000i64 } output { true }
-- compiled input { 5000000i64 3000000i64 } output { true }
entry adds (n: i64) (h: i64) : bool =
  check (\b -> i32.i64 (count n h b)) (==) (hist (+) 0 h (map (bin_of h) (iota n)) (replicate n 1i32))

-- One that no atomic instruction has.
-- ==
-- entry: saturates
-- compiled input { 0i64 5i64 } output { true }
-- compiled input { 100000i64 0i64 } output { true }
-- compiled input { 100003i64 1i64 } output { true }
-- compiled input { 100000i64 16i64 } output { true }
-- compiled input { 100000i64 2048i64 } output { true }
-- compiled input { 100000i64 90000i64 } output { true }
-- compiled input { 100000i64 3000000i64 } output { true }
-- compiled input { 3000000i64 3i64 } output { true }
entry saturates (n: i64) (h: i64) : bool =
  let limit = 0xffffffu32
  in check (\b -> u32.i64 (i64.min (i64.u32 limit) (1000 * count n h b))) (==)
           (hist (\a b -> u32.min limit (a + b)) 0 h (map (bin_of h) (iota n)) (replicate n 1000))

-- Floats, added in a fixed order.
-- ==
-- entry: adds_floats
-- compiled input { 0i64 5i64 } output { true }
-- compiled input { 100003i64 16i64 } output { true }
-- compiled input { 100000i64 2048i64 } output { true }
-- compiled input { 100000i64 30000i64 } output { true }
-- compiled input { 100000i64 90000i64 } output { true }
-- compiled input { 100000i64 1500000i64 } output { true }
entry adds_floats (n: i64) (h: i64) : bool =
  check (\b -> 0.5 * f64.i64 (count n h b)) (==) (hist (+) 0 h (map (bin_of h) (iota n)) (replicate n 0.5f64))

def better (a: (i32, i64)) (b: (i32, i64)) : (i32, i64) =
  if a.0 > b.0 || (a.0 == b.0 && a.1 < b.1) then a else b

-- A bin is kept or replaced: by the last point, and by the first.
-- ==
-- entry: chooses
-- compiled input { 0i64 5i64 } output { true }
-- compiled input { 10i64 0i64 } output { true }
-- compiled input { 10i64 20i64 } output { true }
-- compiled input { 100000i64 1i64 } output { true }
-- compiled input { 100003i64 16i64 } output { true }
-- compiled input { 100000i64 2048i64 } output { true }
-- compiled input { 100000i64 90000i64 } output { true }
-- compiled input { 100000i64 1000000i64 } output { true }
-- compiled input { 2000000i64 1000000i64 } output { true }
entry chooses (n: i64) (h: i64) : bool =
  let none = (i32.lowest, i64.highest)
  let rising b = if count n h b == 0 then none else (i32.i64 (last n h b), last n h b)
  let equal b = if count n h b == 0 then none else (7, first b)
  let bins = map (bin_of h) (iota n)
  in check rising (==) (hist better none h bins (zip (map i32.i64 (iota n)) (iota n)))
     && check equal (==) (hist better none h bins (zip (replicate n 7) (iota n)))

-- ==
-- entry: extremes
-- compiled input { 0i64 5i64 } output { true }
-- compiled input { 100003i64 16i64 } output { true }
-- compiled input { 100000i64 30000i64 } output { true }
-- compiled input { 100000i64 3000000i64 } output { true }
entry extremes (n: i64) (h: i64) : bool =
  let bins = map (bin_of h) (iota n)
  let low b = if count n h b == 0 then i32.highest else i32.i64 (first b)
  let high b = if count n h b == 0 then u64.lowest else u64.i64 (last n h b)
  let float b = if count n h b == 0 then -f32.inf else f32.i64 (last n h b)
  in check low (==) (hist i32.min i32.highest h bins (map i32.i64 (iota n)))
     && check high (==) (hist u64.max u64.lowest h bins (map u64.i64 (iota n)))
     && check float (==) (hist f32.max (-f32.inf) h bins (map f32.i64 (iota n)))

-- Neighbours in one bin, and all points in one bin or in none.
-- ==
-- entry: runs
-- compiled input { 100000i64 16i64 } output { true }
-- compiled input { 100000i64 40000i64 } output { true }
-- compiled input { 100000i64 3000000i64 } output { true }
entry runs (n: i64) (h: i64) : bool =
  let length b = i64.max 0 (i64.min 100 (n - 100 * b))
  let counts bins = hist (+) 0i64 h bins (replicate n 1)
  in check length (==) (counts (map (/ 100) (iota n)))
     && check (\b -> if b == 7 then n else 0) (==) (counts (replicate n 7))
     && check (\_ -> 0) (==) (counts (replicate n (-1)))
     && check (\_ -> 0) (==) (counts (replicate n h))
     && check (\_ -> 0) (==) (counts (replicate n i64.highest))

-- What was there before is combined too, also where the bins are not next to each other in memory.
-- ==
-- entry: updates
-- compiled input { 10i64 3i64 } output { true }
-- compiled input { 100000i64 16i64 } output { true }
-- compiled input { 100000i64 30000i64 } output { true }
-- compiled input { 100000i64 1500000i64 } output { true }
entry updates (n: i64) (h: i64) : bool =
  let bins = map (bin_of h) (iota n)
  let column = transpose (tabulate_2d h 2 (\b k -> 10 * b + k))
  in check (\b -> b + count n h b) (==) (reduce_by_index (iota h) (+) 0 bins (replicate n 1))
     && check (\b -> 10 * b + 1 + count n h b) (==) (reduce_by_index (copy column[1]) (+) 0 bins (replicate n 1))

-- Bins in two dimensions.
-- ==
-- entry: pairs
-- compiled input { 10i64 3i64 } output { true }
-- compiled input { 100000i64 16i64 } output { true }
-- compiled input { 100000i64 1000i64 } output { true }
-- compiled input { 60000i64 1500i64 } output { true }
entry pairs (n: i64) (h: i64) : bool =
  let is = map (\i -> (bin_of h i, i % 3 - 1)) (iota n)
  let bins = reduce_by_index_2d (replicate h (replicate 2 0i32)) (+) 0 is (replicate n 1)
  let one = reduce_by_index (replicate (2 * h) 0i32) (+) 0
              (map (\(a, b) -> if b < 0 || b >= 2 || a < 0 || a >= h then -1 else 2 * a + b) is) (replicate n 1)
  in and (map2 (==) (flatten bins) (one :> [h * 2]i32))

-- A histogram for each row: few rows, many rows.
-- ==
-- entry: rows
-- compiled input { 3i64 50000i64 10i64 } output { true }
-- compiled input { 20i64 5000i64 10i64 } output { true }
-- compiled input { 20i64 5000i64 20000i64 } output { true }
-- compiled input { 0i64 5000i64 10i64 } output { true }
-- compiled input { 20i64 0i64 10i64 } output { true }
entry rows (m: i64) (n: i64) (h: i64) : bool =
  let bins = tabulate m (\r -> hist (+) 0 h (map (bin_of h) (iota n)) (replicate n r))
  in and (map2 (\r row -> check (\b -> r * count n h b) (==) row) (iota m) bins)

-- Points that are not cheap, and may fail.
-- ==
-- entry: expensive
-- compiled input { 300i64 7i64 } output { true }
-- compiled input { 300i64 1000i64 } output { true }
-- compiled input { 5000i64 3i64 } output { true }
-- compiled input { 300i64 0i64 } output { true }
entry expensive (n: i64) (h: i64) : bool =
  let steps (i: i64) = (loop (x, k) = (i, 0) while x > 0 do (x / 2, k + 1)).1
  let values = map (\i -> steps (i * 0 + 1023)) (iota n)
  in check (\b -> 10 * count n h b) (==) (hist (+) 0 h (map (bin_of h) (iota n)) values)

-- ==
-- entry: fails
-- compiled input { 100000i64 16i64 99999i64 } output { 99999i64 }
-- compiled input { 100000i64 16i64 50000i64 } error: out of bounds
-- compiled input { 100000i64 1000000i64 50000i64 } error: out of bounds
entry fails (n: i64) (h: i64) (limit: i64) : i64 =
  let table = iota (limit + 1)
  in i64.maximum (hist i64.max 0 h (map (bin_of h) (iota n)) (map (\i -> table[i]) (iota n)))
