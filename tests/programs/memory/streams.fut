-- SPDX-License-Identifier: Apache-2.0
-- Results of 16 MiB and more, which are written past the caches: all elements are there, in every
-- part of a line, when other threads read them next.

-- Sums of 1, 1, 1 … are known; the last 7 elements fill no line.
-- ==
-- entry: sums
-- compiled large input { 4194304i64 } output { true }
-- compiled large input { 5000007i64 } output { true }
entry sums (n: i64) : bool =
  let ys = scan (+) 0i32 (replicate n 1)
  in and (map2 (\y i -> y == i32.i64 i + 1) ys (iota n))

-- The values are computed before, the sums of floats are exact, and two scans are one.
-- ==
-- entry: both
-- compiled large input { 5000007i64 } output { true }
entry both (n: i64) : bool =
  let (a, b) = unzip (scan (\(p, q) (r, s) -> (p + r, i32.max q s)) (0, i32.lowest)
                           (tabulate n (\i -> (f32.i64 (i % 2), i32.i64 (i % 1000)))))
  in and (map3 (\x y i -> x == f32.i64 ((i + 1) / 2) && y == i32.i64 (i64.min i 999)) a b (iota n))

-- ==
-- entry: read
-- compiled large input { 5000007i64 } output { true }
entry read (n: i64) : bool =
  let xs = map (\i -> f64.i64 (i % 3)) (iota n)
  let ys = scan (+) 0 xs
  let zs = scan (+) 0f32 (map f32.f64 xs)
  in and (map2 (\i y -> y == f64.i64 (i / 3 * 3 + i % 3 * (i % 3 + 1) / 2)) (iota n) ys) &&
     and (map2 (\i z -> z == f32.i64 (i / 3 * 3 + i % 3 * (i % 3 + 1) / 2)) (iota n) zs)

-- The places of members are not aligned.
-- ==
-- entry: members
-- compiled large input { 10000019i64 } output { true }
entry members (n: i64) : bool =
  let xs = filter (\i -> i % 7 != 3) (map i32.i64 (iota n))
  in and (map2 (\k x -> i64.i32 x == k / 6 * 7 + (k % 6) + i64.bool (k % 6 >= 3)) (indices xs) xs)

-- ==
-- entry: classes
-- compiled large input { 9000011i64 } output { true }
entry classes (n: i64) : bool =
  let (xs, ys) = partition (\i -> i % 2 == 0) (map i32.i64 (iota n))
  in and (map2 (\k x -> x == i32.i64 (2 * k)) (indices xs) xs) &&
     and (map2 (\k y -> y == i32.i64 (2 * k + 1)) (indices ys) ys)

-- Transpositions with and without arithmetic, of elements of all sizes, of rows that begin at any
-- place of a line, with blocks that are not full.
-- ==
-- entry: transposed
-- compiled large input { 2048i64 2048i64 } output { true }
-- compiled large input { 2051i64 2085i64 } output { true }
-- compiled large input { 4999i64 1021i64 } output { true }
-- compiled large input { 12i64 400003i64 } output { true }
entry transposed (n: i64) (m: i64) : bool =
  let xs = tabulate_2d n m (\i j -> i32.i64 (i * m + j))
  let ys = map (map (+ 1)) (transpose xs)
  let (zs, us) = unzip (map unzip (map2 (map2 (\x j -> (i64.i32 x * 2, f32.i64 j))) (transpose xs) (replicate m (iota n))))
  in and (flatten (tabulate_2d m n (\j i -> ys[j, i] == xs[i, j] + 1 && zs[j, i] == 2 * i64.i32 xs[i, j] &&
                                            us[j, i] == f32.i64 i)))

-- ==
-- entry: copied
-- compiled large input { 2051i64 2085i64 } output { true }
-- compiled large input { 7000i64 2400i64 } output { true }
entry copied (n: i64) (m: i64) : bool =
  let xs = tabulate_2d n m (\i j -> f64.i64 (i * m + j))
  let bs = map (map (\x -> u8.f64 (x % 251))) xs
  let ys = copy (transpose xs)
  let cs = copy (transpose bs)
  in and (flatten (tabulate_2d m n (\j i -> ys[j, i] == xs[i, j] && cs[j, i] == bs[i, j])))

def numbers (n: i64) : [n]i64 = loop xs = replicate n 0 for k < 2 do map (\i -> i + k - 1) (iota n)

-- Members are read where they are, those of two arrays by one choice; what comes after a piece of
-- 2048 points, and of 32768, belongs to the next one.
-- ==
-- entry: members_of_arrays
-- compiled large input { 10000019i64 } output { true }
-- compiled large input { 4194309i64 } output { true }
entry members_of_arrays (n: i64) : bool =
  let xs = numbers n
  let ys = map i32.i64 (numbers n)
  let (a, b) = unzip (filter (\(x, y) -> x % 7 != 3 || y % 1000 == 10) (zip xs ys))
  let wanted = map (\i -> i64.bool (i % 7 != 3 || i % 1000 == 10)) (iota n)
  let places = map2 (\w s -> if w == 1 then s - 1 else -1) wanted (scan (+) 0 wanted)
  let expected = scatter (map (const (-1)) a) places (iota n)
  in and (map3 (\x y z -> x == z && i64.i32 y == z) a b expected)

-- ==
-- entry: few_and_many
-- compiled large input { 5000011i64 } output { true }
entry few_and_many (n: i64) : bool =
  let xs = numbers n
  let (none, all) = partition (< 0) xs
  let few = filter (\x -> x % 100000 == 99999) xs
  in length none == 0 && and (map2 (==) all (indices all)) && and (map2 (\k x -> x == 100000 * k + 99999) (indices few) few)
