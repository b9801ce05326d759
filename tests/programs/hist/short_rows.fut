-- SPDX-License-Identifier: Apache-2.0
-- Histograms over flattened rows that a nest makes: the nest itself updates the bins.  Compared with a loop over all points.
-- ==
-- entry: four twelve sixteen unknown written given numbered mapped two two_apart beside tuples greatest normalised checked_rows in_place some_unused scattered scattered_pairs
-- input { [1, 2, 7] } output { true }
-- input { [-1, 15, 16, 0, 3] } output { true }
-- input { empty([0]i32) } output { true }
-- random input { [300]i32 } output { true }
-- compiled random input { [20000]i32 } output { true }
-- ==
-- entry: images long_rows
-- input { [[1, 2, 7], [5, 0, -3]] } output { true }
-- input { empty([0][2]i32) } output { true }
-- random input { [13][31]i32 } output { true }
-- ==
-- entry: no_columns one_column
-- input { [1, 2, 7] } output { true }
-- ==
-- entry: kept_too
-- input { [1, 2, 7] } output { [0, 1, 2, 1, 0, 0, 0, 1, 1] [2, 3, 8] }
-- ==
-- entry: rounds
-- input { [1, 2, 7] 3i32 } output { true }
-- ==
-- entry: of_itself
-- input { [0, 1, 2, 3] } output { [0, 1, 3, 5, 1, 0] }
-- ==
-- entry: fails
-- input { [1, 2, 3] [10, 20, 30] } output { [0, 10, 30, 50, 30, 0] }
-- input { [1, 4, 3] [10, 20, 30] } error: Index \[4\] out of bounds

def by_loop [k] 'a (dest: *[k]a) (op: a -> a -> a) (n: i64) (key: i64 -> i64) (value: i64 -> a) : *[k]a =
  loop dest for j < n do
    let b = key j
    in if b >= 0 && b < k then let old = copy dest[b] in dest with [b] = op old (value j) else dest

def same [k] (xs: [k]i32) (ys: [k]i32) = and (map2 (==) xs ys)

def bin (x: i32) (k: i64) : i64 = i64.i32 (x % 16) + k - 2

def weight (x: i32) (k: i64) : i32 = (x & 63) * i32.i64 k + 1

def expected [n] (xs: [n]i32) (m: i64) : *[20]i32 =
  by_loop (replicate 20 1) (+) (n * m) (\i -> bin xs[i / m] (i % m)) (\i -> weight xs[i / m] (i % m))

def point (x: i32) (k: i64) = (bin x k, weight x k)

entry four [n] (xs: [n]i32) : bool =
  let (at, ws) = unzip (flatten (map (\x -> tabulate 4 (point x)) xs))
  in same (reduce_by_index (replicate 20 1) (+) 0 at ws) (expected xs 4)

-- More columns than are written out.
entry twelve [n] (xs: [n]i32) : bool =
  let (at, ws) = unzip (flatten (map (\x -> tabulate 12 (point x)) xs))
  in same (reduce_by_index (replicate 20 1) (+) 0 at ws) (expected xs 12)

entry unknown [n] (xs: [n]i32) : bool =
  let m = n % 7 + 1
  let (at, ws) = unzip (flatten (map (\x -> tabulate m (point x)) xs))
  in same (reduce_by_index (replicate 20 1) (+) 0 at ws) (expected xs m)

entry sixteen [n] (xs: [n]i32) : bool =
  let (at, ws) =
    unzip (flatten_3d (map (\x -> tabulate_2d 4 4 (\i j -> ((i64.i32 (x % 4) + i, bin x j), weight x (i * 4 + j)))) xs))
  let found = reduce_by_index_2d (replicate 6 (replicate 20 0)) (+) 0 at ws
  let place i j = if j < 0 || j >= 20 then -1 else i * 20 + j
  let flat =
    by_loop (replicate 120 0) (+) (n * 16)
            (\i -> let x = xs[i / 16] in place (i64.i32 (x % 4) + (i % 16) / 4) (bin x (i % 4)))
            (\i -> weight xs[i / 16] (i % 16))
  in same (flatten found :> [120]i32) flat

-- Columns that do not count from zero.
entry written [n] (xs: [n]i32) : bool =
  let columns = [3i64, 0, 11]
  let (at, ws) = unzip (flatten (map (\x -> map (point x) columns) xs))
  in same (reduce_by_index (replicate 20 1) (+) 0 at ws)
          (by_loop (replicate 20 1) (+) (n * 3) (\i -> bin xs[i / 3] columns[i % 3]) (\i -> weight xs[i / 3] columns[i % 3]))

-- Values that do not come from the nest.
entry given [n] (xs: [n]i32) : bool =
  let vs = scan (+) 0 (map i32.i64 (iota (n * 3)))
  let at = flatten (map (\x -> tabulate 3 (bin x)) xs)
  in same (hist (+) 0 20 at vs) (by_loop (replicate 20 0) (+) (n * 3) (\i -> bin xs[i / 3] (i % 3)) (\i -> vs[i]))

entry numbered [n] (xs: [n]i32) : bool =
  let at = flatten (map (\x -> tabulate 3 (bin x)) xs)
  let sums = hist (+) 0 20 at (map i32.i64 (iota (n * 3)))
  let counts = hist (+) 0 20 at (replicate (n * 3) 1)
  in same sums (by_loop (replicate 20 0) (+) (n * 3) (\i -> bin xs[i / 3] (i % 3)) i32.i64)
     && same counts (by_loop (replicate 20 0) (+) (n * 3) (\i -> bin xs[i / 3] (i % 3)) (const 1))

entry mapped [n] (xs: [n]i32) : bool =
  let at = flatten (map (\x -> tabulate 5 (bin x)) xs)
  in same (hist i32.max 0 20 (map (/ 2) at) (map i32.i64 at))
          (by_loop (replicate 20 0) i32.max (n * 5) (\i -> bin xs[i / 5] (i % 5) / 2) (\i -> i32.i64 (bin xs[i / 5] (i % 5))))

entry two [n] (xs: [n]i32) : bool =
  let (at, ws) = unzip (flatten (map (\x -> tabulate 4 (point x)) xs))
  in same (hist (+) 0 20 at ws) (by_loop (replicate 20 0) (+) (n * 4) (\i -> bin xs[i / 4] (i % 4)) (\i -> weight xs[i / 4] (i % 4)))
     && same (hist (^) 0 20 at ws) (by_loop (replicate 20 0) (^) (n * 4) (\i -> bin xs[i / 4] (i % 4)) (\i -> weight xs[i / 4] (i % 4)))

-- Different bins; the second histogram comes after code that needs neither.
entry two_apart [n] (xs: [n]i32) : bool =
  let (at, ws, bt) = unzip3 (flatten (map (\x -> tabulate 4 (\k -> (bin x k, weight x k, i64.i32 (weight x k) % 9))) xs))
  let first = hist (+) 0 20 at ws
  let dest = map (\i -> i32.i64 (i + n)) (iota 9)
  let second = reduce_by_index (copy dest) (+) 0 bt ws
  in same first (by_loop (replicate 20 0) (+) (n * 4) (\i -> bin xs[i / 4] (i % 4)) (\i -> weight xs[i / 4] (i % 4)))
     && same second (by_loop (copy dest) (+) (n * 4) (\i -> i64.i32 (weight xs[i / 4] (i % 4)) % 9) (\i -> weight xs[i / 4] (i % 4)))

-- Others that go over the same array.
entry beside [n] (xs: [n]i32) : bool =
  let (at, ws) = unzip (flatten (map (\x -> tabulate 4 (point x)) xs))
  let found = reduce_by_index (replicate 20 1) (+) 0 at ws
  in same found (expected xs 4) && i32.sum (map (+ 1) xs) == i32.sum xs + i32.i64 n

entry tuples [n] (xs: [n]i32) : bool =
  let (at, ws) = unzip (flatten (map (\x -> tabulate 4 (\k -> (bin x k, (weight x k, x ^ i32.i64 k)))) xs))
  let (sums, most) = unzip (hist (\(a, b) (c, d) -> (a + c, i32.max b d)) (0, i32.lowest) 20 at ws)
  in same sums (by_loop (replicate 20 0) (+) (n * 4) (\i -> bin xs[i / 4] (i % 4)) (\i -> weight xs[i / 4] (i % 4)))
     && same most (by_loop (replicate 20 i32.lowest) i32.max (n * 4) (\i -> bin xs[i / 4] (i % 4)) (\i -> xs[i / 4] ^ i32.i64 (i % 4)))

-- An operator that devices have no instruction for.
entry greatest [n] (xs: [n]i32) : bool =
  let better (a: i32, i: i32) (b: i32, j: i32) = if a > b || (a == b && i < j) then (a, i) else (b, j)
  let pair x k = (weight x k, i32.i64 k)
  let (at, ws) = unzip (flatten (map (\x -> tabulate 4 (\k -> (bin x k, pair x k))) xs))
  let (vs, is) = unzip (hist better (i32.lowest, i32.highest) 20 at ws)
  let (vs', is') =
    unzip (by_loop (replicate 20 (i32.lowest, i32.highest)) better (n * 4) (\i -> bin xs[i / 4] (i % 4)) (\i -> pair xs[i / 4] (i % 4)))
  in same vs vs' && same is is'

-- A row needs all of itself.
entry normalised [n] (xs: [n]i32) : bool =
  let row x = tabulate 4 (\k -> weight x k)
  let (at, ws) =
    unzip (flatten (map (\x ->
                           let ws = row x
                           let sum = i32.sum ws
                           in zip (tabulate 4 (bin x)) (map (\w -> w * 100 / sum) ws))
                        xs))
  in same (hist (+) 0 20 at ws)
          (by_loop (replicate 20 0) (+) (n * 4) (\i -> bin xs[i / 4] (i % 4))
                   (\i -> let x = xs[i / 4] in weight x (i % 4) * 100 / i32.sum (row x)))

-- With a check in each row.
entry checked_rows [n] (xs: [n]i32) : bool =
  let table = [5i32, 7, 11, 13]
  let (at, ws) = unzip (flatten (map (\x -> let t = table[i64.i32 (x & 3)] in tabulate 4 (\k -> (bin x k, t + table[k]))) xs))
  in same (hist (+) 0 20 at ws)
          (by_loop (replicate 20 0) (+) (n * 4) (\i -> bin xs[i / 4] (i % 4)) (\i -> table[i64.i32 (xs[i / 4] & 3)] + table[i % 4]))

entry images [h] [w] (xs: [h][w]i32) : bool =
  let (at, ws) = unzip (flatten_3d (map (map (\x -> tabulate 4 (point x))) xs))
  in same (reduce_by_index (replicate 20 1) (+) 0 at ws) (expected (flatten xs) 4)

-- Each row is given as an array.
entry long_rows [h] [w] (xs: [h][w]i32) : bool =
  let (at, ws) = unzip (flatten (map (\row -> map (\x -> point x (i64.i32 (row[0] & 3))) row) xs))
  in same (reduce_by_index (replicate 20 1) (+) 0 at ws)
          (by_loop (replicate 20 1) (+) (h * w) (\i -> bin xs[i / w, i % w] (i64.i32 (xs[i / w, 0] & 3)))
                   (\i -> weight xs[i / w, i % w] (i64.i32 (xs[i / w, 0] & 3))))

entry no_columns [n] (xs: [n]i32) : bool =
  let (at, ws) = unzip (flatten (map (\x -> tabulate 0 (point x)) xs))
  in same (reduce_by_index (replicate 20 1) (+) 0 at ws) (replicate 20 1)

entry one_column [n] (xs: [n]i32) : bool =
  let (at, ws) = unzip (flatten (map (\x -> tabulate 1 (point x)) xs))
  in same (reduce_by_index (replicate 20 1) (+) 0 at ws) (expected xs 1)

-- The nest gives more than what is counted.
entry kept_too [n] (xs: [n]i32) : ([9]i32, [n]i32) =
  let (rows, more) = unzip (map (\x -> let y = x + 1 in (tabulate 2 (\k -> i64.i32 (x + i32.i64 k)), y)) xs)
  in (hist (+) 0 9 (flatten rows) (replicate (n * 2) 1), more)

entry rounds [n] (xs: [n]i32) (times: i32) : bool =
  let found =
    loop bins = replicate 20 1 for i < times do
      let (at, ws) = unzip (flatten (map (\x -> tabulate 4 (point (x + i))) xs))
      in reduce_by_index bins (+) 0 at ws
  let wanted =
    loop bins = replicate 20 1 for i < times do
      by_loop bins (+) (n * 4) (\j -> bin (xs[j / 4] + i) (j % 4)) (\j -> weight (xs[j / 4] + i) (j % 4))
  in same found wanted

-- The nest reads what the histogram updates.
entry of_itself (xs: [4]i32) : [6]i32 =
  let bins = copy (xs ++ [0, 0] :> [6]i32)
  let (at, ws) = unzip (flatten (map (\x -> tabulate 2 (\k -> (i64.i32 x + k, bins[i64.i32 x] / 2))) xs))
  in reduce_by_index bins (+) 0 at ws

entry fails [n] (is: [n]i32) (xs: [n]i32) : [6]i32 =
  let (at, ws) = unzip (flatten (map2 (\i x -> tabulate 2 (\k -> (i64.i32 i + k, if i == 4 then xs[i64.i32 i] else x))) is xs))
  in reduce_by_index (replicate 6 0) (+) 0 at ws

-- Columns that are rows, updated in place.
entry in_place [n] (xs: [n]i32) : bool =
  let rows x = tabulate_2d 4 3 (\i j -> i64.i32 x * i + j)
  let at = flatten (map (\x -> map (\r -> let r = copy r with [1] = 5 in i64.sum r % 20) (rows x)) xs)
  in same (hist (+) 0 20 at (replicate (n * 4) 1))
          (by_loop (replicate 20 0) (+) (n * 4) (\i -> (let r = rows xs[i / 4] in r[i % 4, 0] + 5 + r[i % 4, 2]) % 20) (const 1))

-- Scatters of such rows: all places are different, or what is written there is the same.
entry scattered [n] (xs: [n]i32) : bool =
  let (at, ws) = unzip (flatten (map2 (\i x -> tabulate 3 (\k -> (i * 4 + k - 1, weight x k))) (iota n) xs))
  let found = scatter (replicate (n * 4) 7) at ws
  let wanted = by_loop (replicate (n * 4) 7) (\_ w -> w) (n * 3) (\i -> i / 3 * 4 + i % 3 - 1) (\i -> weight xs[i / 3] (i % 3))
  let again = scatter (replicate 20 0) (flatten (map (\x -> tabulate 4 (bin x)) xs)) (replicate (n * 4) 5)
  in same found wanted
     && same again (by_loop (replicate 20 0) (\_ w -> w) (n * 4) (\i -> bin xs[i / 4] (i % 4)) (const 5))

entry scattered_pairs [n] (xs: [n]i32) : bool =
  let (at, ws) = unzip (flatten (map2 (\i x -> tabulate 2 (\k -> (i * 2 + k, (weight x k, x)))) (iota n) xs))
  let (found, others) = unzip (scatter (replicate (n * 2) (0, 0)) at ws)
  let counted = hist (+) 0 20 (map (% 20) at) (map (.0) ws)
  in same found (by_loop (replicate (n * 2) 0) (\_ w -> w) (n * 2) id (\i -> weight xs[i / 2] (i % 2)))
     && same others (by_loop (replicate (n * 2) 0) (\_ w -> w) (n * 2) id (\i -> xs[i / 2]))
     && same counted (by_loop (replicate 20 0) (+) (n * 2) (% 20) (\i -> weight xs[i / 2] (i % 2)))

-- Nobody needs all of what the rows are.
entry some_unused [n] (xs: [n]i32) : bool =
  let (at, _) = unzip (flatten (map (\x -> tabulate 4 (point x)) xs))
  in same (hist (+) 0 20 (map (+ 1) at) (map (const 1) at))
          (by_loop (replicate 20 0) (+) (n * 4) (\i -> bin xs[i / 4] (i % 4) + 1) (const 1))
