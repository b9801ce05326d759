-- SPDX-License-Identifier: Apache-2.0
-- Histograms inside map of arrays that are flattened there: the check of their size is the same for all rows.

def bin_of (x: i32) (y: i32) : i64 = i64.i32 ((x * y) & 15) - 1

def by_loop [n] (keys: [n]i64) : [12]i32 =
  loop acc = replicate 12 0 for k in keys do
    if k >= 0 && k < 12 then let old = acc[k] in acc with [k] = old + 1 else acc

-- ==
-- entry: of_squares of_pairs two_at_once scatters
-- input { [[1, 2, 3], [4, 5, 6]] } output { true }
-- input { empty([0][3]i32) } output { true }
-- input { empty([3][0]i32) } output { true }
-- random input { [3][40]i32 } output { true }
-- compiled random input { [16][300]i32 } output { true }
entry of_squares [m] [n] (rows: [m][n]i32) : bool =
  let squares = map (\r -> map (\x -> map (bin_of x) r) r) rows
  let found = map (\s -> hist (+) 0 12 (flatten s) (replicate (n * n) 1)) squares
  in and (map2 (\a s -> and (map2 (==) a (by_loop (flatten s)))) found squares)

entry of_pairs [m] [n] (rows: [m][n]i32) : bool =
  let found = map (\r -> hist (+) 0 12 (flatten (tabulate_2d n n (\i j -> bin_of r[i] r[j]))) (replicate (n * n) 1)) rows
  in and (map2 (\a r -> and (map2 (==) a (by_loop (flatten (tabulate_2d n n (\i j -> bin_of r[i] r[j])))))) found rows)

entry two_at_once [m] [n] (rows: [m][n]i32) : bool =
  let pairs f r = flatten (tabulate_2d n n (\i j -> f r[i] r[j]))
  let (one, other) =
    unzip (map (\r -> (hist (+) 0 12 (pairs bin_of r) (replicate (n * n) 1),
                       hist (+) 0 12 (pairs (\x y -> bin_of (x + 1) y) r) (replicate (n * n) 1))) rows)
  in and (map3 (\a b r -> and (map2 (==) a (by_loop (pairs bin_of r)))
                          && and (map2 (==) b (by_loop (pairs (\x y -> bin_of (x + 1) y) r)))) one other rows)

entry scatters [m] [n] (rows: [m][n]i32) : bool =
  let put r = scatter (replicate 12 0) (flatten (tabulate_2d n n (\i j -> bin_of r[i] r[j]))) (replicate (n * n) 7)
  in and (map2 (\a r -> and (map2 (\x c -> (x == 7) == (c > 0)) a
                                  (by_loop (flatten (tabulate_2d n n (\i j -> bin_of r[i] r[j]))))))
               (map put rows) rows)
