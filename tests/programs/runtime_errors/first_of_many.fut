-- SPDX-License-Identifier: Apache-2.0
-- Some elements of one kernel fail, in lanes and pieces of several threads: the message is that of the first one, whatever the
-- sizes and the number of threads.  All elements from k on fail, each with a number of its own.
-- ==
-- entry: mapped branching summed scanned pairs filtered split bins scattered looping rows row_scans columns
-- input { 1i64 0i64 } error: Index \[2000000\] out of bounds
-- input { 3i64 1i64 } error: Index \[2000001\] out of bounds
-- input { 4i64 3i64 } error: Index \[2000003\] out of bounds
-- input { 5i64 4i64 } error: Index \[2000004\] out of bounds
-- input { 7i64 0i64 } error: Index \[2000000\] out of bounds
-- input { 8i64 7i64 } error: Index \[2000007\] out of bounds
-- input { 9i64 8i64 } error: Index \[2000008\] out of bounds
-- input { 15i64 14i64 } error: Index \[2000014\] out of bounds
-- input { 16i64 3i64 } error: Index \[2000003\] out of bounds
-- input { 17i64 16i64 } error: Index \[2000016\] out of bounds
-- input { 33i64 32i64 } error: Index \[2000032\] out of bounds
-- input { 1000i64 63i64 } error: Index \[2000063\] out of bounds
-- compiled input { 200003i64 0i64 } error: Index \[2000000\] out of bounds
-- compiled input { 200003i64 65537i64 } error: Index \[2065537\] out of bounds
-- compiled input { 200003i64 131071i64 } error: Index \[2131071\] out of bounds
-- compiled input { 200003i64 200002i64 } error: Index \[2200002\] out of bounds

def numbers (n: i64) (k: i64) : [n]i64 = opaque (tabulate n (\i -> if i < k then i % (i64.min k 3) else 2000000 + i))

entry mapped (n: i64) (k: i64) = let xs = numbers n k in map (\x -> xs[x]) xs

entry branching (n: i64) (k: i64) = let xs = numbers n k in map (\x -> if x != 1 then xs[x] + 1 else 0) xs

entry summed (n: i64) (k: i64) = let xs = numbers n k in i64.sum (map (\x -> xs[x]) xs)

entry scanned (n: i64) (k: i64) = let xs = numbers n k in scan (+) 0 (map (\x -> xs[x]) xs)

entry pairs (n: i64) (k: i64) =
  let xs = numbers n k
  in scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (xs[x], x)) xs)

entry filtered (n: i64) (k: i64) = let xs = numbers n k in filter (\x -> xs[x] > 1) xs

entry split (n: i64) (k: i64) = let xs = numbers n k in partition (\x -> xs[x] > 1) xs

entry bins (n: i64) (k: i64) =
  let xs = numbers n k
  in reduce_by_index (replicate 10 0) (+) 0 (map (\x -> xs[x]) xs) xs

entry scattered (n: i64) (k: i64) =
  let xs = numbers n k
  in scatter (replicate n 0) (map (\x -> xs[x]) xs) xs

entry looping (n: i64) (k: i64) =
  let xs = numbers n k
  in map (\x -> loop a = 0 for j < (if x < 3 then x else 5) do a + xs[if x < 3 then j else x + j]) xs

entry rows (n: i64) (k: i64) =
  let xs = numbers n k
  in map (\x -> i64.sum (map (\j -> xs[x + j * (x / 1000000)]) (iota 9))) xs

entry row_scans (n: i64) (k: i64) =
  let xs = numbers n k
  in map (\x -> scan (+) 0 (map (\j -> xs[x + j * (x / 1000000)]) (iota 5))) xs

entry columns (n: i64) (k: i64) =
  let xs = numbers n k
  in map (\x -> map (\j -> xs[x + j * (x / 1000000)]) (iota 3)) xs |> transpose |> map i64.sum
