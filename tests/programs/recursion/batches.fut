-- SPDX-License-Identifier: Apache-2.0
-- Recursive functions with parallel code inside: all calls of one level run together.

def quicksort [n] (xs: [n]i32) : []i32 =
  if n <= 1
  then xs
  else let p = xs[n / 2]
       let less = filter (< p) xs
       let equal = filter (== p) xs
       let greater = filter (> p) xs
       in quicksort less ++ equal ++ quicksort greater

-- ==
-- entry: sort
-- input { [3, 1, 2, 5, 4, 3, 0] } output { [0, 1, 2, 3, 3, 4, 5] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [7, 7, 7] } output { [7, 7, 7] }
entry sort (xs: []i32) = quicksort xs

-- Large enough for batches as well as for the threads that finish them.
-- ==
-- entry: sort_many
-- input { 5000i64 } output { true true }
-- input { 60000i64 } output { true true }
entry sort_many (n: i64) =
  let xs = map (\i -> i32.i64 ((i * 7919 + i * i * 104729) % 100003)) (iota n)
  let ys = quicksort xs
  in (and (map (\i -> i == 0 || ys[i - 1] <= ys[i]) (indices ys)),
      length ys == n && i32.sum xs == i32.sum ys)

-- Each row on its own.
-- ==
-- entry: sort_rows
-- input { [[3, 1, 2], [9, 8, 7], [4, 6, 5]] } output { [1, 7, 4] [6, 24, 15] }
entry sort_rows [n][m] (xss: [n][m]i32) =
  unzip (map (\xs -> let ys = quicksort xs in (ys[0], i32.sum ys)) xss)

-- ==
-- entry: sort_prefixes
-- input { [2i64, 0i64, 3i64] [5, 3, 1] } output { [3, 5, 1, 3, 5] }
entry sort_prefixes (ns: []i64) (xs: []i32) : []i32 =
  let (_, _, _, rows, _) = flatmap (\n -> (quicksort (take n xs), ())) ns
  in rows

-- Halves are slices of one array.
def merge_sum [n] (xs: [n]i32) : i32 =
  if n == 0 then 0
  else if n == 1 then xs[0]
  else let h = n / 2
       in merge_sum (map (+ 1) xs[:h]) + merge_sum (map (\x -> x * 2) xs[h:])
-- ==
-- entry: halves
-- input { [4, 1, 3, 2] } output { 25 }
-- input { [1] } output { 1 }
entry halves (xs: []i32) = merge_sum xs

-- Two-dimensional arguments and results, and a scalar that goes down with them.
def fold_rows [n][m] (k: i32) (xss: [n][m]i32) : ([m]i32, i32) =
  if n == 0 then (replicate m k, 0)
  else if n == 1 then (map (+ k) xss[0], 1)
  else let (a, x) = fold_rows (k + 1) (take (n / 2) xss)
       let (b, y) = fold_rows (k + 1) (drop (n / 2) xss)
       in (map2 (+) a b, x + y + 1)
-- ==
-- entry: two_dimensions
-- input { [[1, 2], [3, 4], [5, 6]] } output { [14, 17] 5 }
-- input { [[1, 2, 3]] } output { [1, 2, 3] 1 }
entry two_dimensions (xss: [][]i32) = fold_rows 0 xss

-- Results larger than the arguments.
def double_up (k: i32) (xs: []i32) : []i32 =
  if k == 0 then xs ++ map (* 10) xs ++ [0]
  else double_up (k - 1) xs ++ double_up (k - 1) (map (+ 1) xs)
-- ==
-- entry: larger
-- input { 1i32 [1] } output { [1, 10, 0, 2, 20, 0] }
-- input { 2i32 [1] } output { [1, 10, 0, 2, 20, 0, 2, 20, 0, 3, 30, 0] }
entry larger (k: i32) (xs: []i32) = double_up k xs

-- No array among the arguments.
def tree (depth: i32) (x: i64) : i64 =
  if depth == 0 then i64.sum (map (* x) (iota x))
  else tree (depth - 1) (x + 1) + tree (depth - 1) (x + 2)
-- ==
-- entry: no_arrays
-- input { 3i32 2i64 } output { 985i64 }
entry no_arrays (depth: i32) (x: i64) = tree depth x

-- Inside a loop and a branch of a lifted function.
def nested_calls [n] (xs: [n]i64) : i64 =
  if n <= 2 then i64.sum xs
  else loop s = 0 for i < 2 do
         s + (if i == 0 then nested_calls (filter (\x -> x % 2 == 0) (init xs))
              else nested_calls (map (+ 1) (take (n / 2) xs)) + nested_calls (take (n / 3) xs))
-- ==
-- entry: in_control
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64] } output { 16i64 }
entry in_control (xs: []i64) = nested_calls xs

-- A check that fails deep inside.
def checked [n] (xs: [n]i32) : i32 =
  if n <= 1 then 1 / xs[0]
  else checked (map (\x -> x - 1) (take (n / 2) xs)) + checked (map (+ 1) (drop (n / 2) xs))
-- ==
-- entry: fails
-- input { [5, 5, 5, 5] } output { 0 }
-- input { [2, 5, 5, 5] } error: zero
entry fails (xs: []i32) = checked xs

-- Calls inside a flatmap, on many levels: the length of a row must not be found by computing the row once more.
def chain (depth: i64) (x: i64) : []i64 =
  if depth == 0 then [x, x + 1]
  else (flatmap (\i -> (chain (depth - 1) (x + i), ())) (iota (1 + x / 100))).3
-- ==
-- entry: in_flatmap
-- input { 48i64 7i64 } output { [7i64, 8i64] }
-- input { 3i64 99i64 } output { [99i64, 100i64] }
-- input { 2i64 100i64 } output { [100i64, 101i64, 101i64, 102i64, 101i64, 102i64, 102i64, 103i64] }
-- input { 2i64 -100i64 } output { empty([0]i64) }
entry in_flatmap (depth: i64) (x: i64) = chain depth x
