-- SPDX-License-Identifier: Apache-2.0
-- Parallel code inside a map whose extent differs from iteration to iteration.

-- Filters, and what follows them.
-- ==
-- entry: filter_sum
-- input { [3i64, 0i64, 5i64, 40i64] } output { [2i64, 0i64, 6i64, 380i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
entry filter_sum (ns: []i64) : []i64 =
  map (\n -> i64.sum (filter (\x -> x % 2 == 0) (iota n))) ns

-- ==
-- entry: filter_reads
-- input { [4i64, 0i64, 2i64] [10, 20, 30, 40] } output { [99, 0, 21] }
entry filter_reads (ns: []i64) (xs: []i32) : []i32 =
  map (\n -> let ys = filter (> 10) (take n xs)
             let zs = map (+ i32.i64 (length ys)) ys
             in reduce (+) 0 zs)
      ns

-- Both classes of a partition.
-- ==
-- entry: partition_both
-- input { [5i64, 1i64, 0i64] } output { [2i64, 0i64, 0i64] [6i64, 0i64, 0i64] }
entry partition_both (ns: []i64) : ([]i64, []i64) =
  unzip (map (\n -> let (os, es) = partition (\x -> x % 2 == 1) (iota n)
                    in (length os, i64.sum es))
             ns)

-- Scans of rows of different lengths.
-- ==
-- entry: scans
-- input { [3i64, 0i64, 5i64] } output { [4i64, 0i64, 20i64] }
entry scans (ns: []i64) : []i64 = map (\n -> i64.sum (scan (+) 0 (iota n))) ns

-- ==
-- entry: concats
-- input { [2i64, 0i64, 1i64] } output { [18i64, 7i64, 11i64] [7i64, 1i64, 4i64] [2i64, 7i64, 0i64] }
entry concats (ns: []i64) =
  unzip3 (map (\n -> let xs = iota n ++ [7] ++ replicate n 4 ++ map (* 2) (iota n)
                     in (i64.sum xs, length xs, xs[length xs - 1]))
              ns)

-- Slices of varying size, of an array outside and of one inside.
-- ==
-- entry: slices
-- input { [1i64, 0i64, 2i64] [1, 2, 3, 4, 5] } output { [2, 0, 7] [10, 0, 210] }
entry slices (is: []i64) (xs: []i32) =
  unzip (map (\i -> let a = xs[i:i + i]
                    let b = map (* 10) (reverse xs[0:i])
                    in (reduce (+) 0 a, loop s = 0 for x in b do s * 10 + x))
             is)

-- Histograms and scatters with rows of different lengths.
-- ==
-- entry: writes
-- input { [4i64, 0i64, 7i64] } output { [[2i64, 2i64], [0i64, 0i64], [4i64, 3i64]] [6i64, 0i64, 21i64] }
entry writes (ns: []i64) =
  unzip (map (\n -> (hist (+) 0 2 (map (% 2) (iota n)) (replicate n 1i64),
                     i64.sum (scatter (replicate n 0) (reverse (iota n)) (iota n))))
             ns)

-- Branches: one side simple, both parallel, a side that nobody takes.
-- ==
-- entry: branches
-- input { [3i64, 0i64, 8i64] } output { [3i64, 0i64, 28i64] [3i64, 0i64, -8i64] [6i64, 0i64, 56i64] }
-- input { [2i64, 4i64] } output { [1i64, 6i64] [-2i64, -4i64] [2i64, 12i64] }
entry branches (ns: []i64) =
  unzip3 (map (\n -> (if n % 2 == 0 then i64.sum (iota n) else n,
                      if n % 2 == 0 then -(i64.sum (map (const 1) (iota n))) else n,
                      if n < 0 then i64.sum (map (* 1000) (iota (-n)))
                      else i64.sum (map (* 2) (iota n))))
              ns)

-- A branch that gives rows of different lengths.
-- ==
-- entry: branch_rows
-- input { [3i64, 0i64, 6i64, 1i64] } output { [3i64, 10i64, 21i64, 0i64] }
entry branch_rows (ns: []i64) : []i64 =
  map (\n -> let xs = if n == 0 then [1i64, 2, 3, 4] else if n < 5 then iota n else map (+ 1) (iota n)
             in i64.sum xs + 0)
      ns

-- Loops that some leave earlier than others.
-- ==
-- entry: loops
-- input { [3i64, 0i64, 5i64, 2i64] } output { [9i64, 0i64, 50i64, 2i64] }
entry loops (ns: []i64) : []i64 =
  map (\n -> loop s = 0 for _i < n do s + i64.sum (iota n)) ns

-- ==
-- entry: growing
-- input { [3i64, 0i64, 5i64] } output { [8i64, 1i64, 32i64] }
entry growing (ns: []i64) : []i64 =
  map (\n -> length (loop xs = [1i64] for _i < n do xs ++ map (+ 1) xs)) ns

-- ==
-- entry: whiles
-- input { [100i64, 0i64, 7i64] } output { [7i64, 0i64, 3i64] }
entry whiles (ns: []i64) : []i64 =
  map (\n -> let (steps, _) = loop (k, xs) = (0i64, iota n) while length xs > 0 do
               (k + 1, filter (\x -> x < length xs / 2) xs)
             in steps)
      ns

-- Three levels, all irregular.
-- ==
-- entry: deep
-- input { [3i64, 0i64, 5i64] } output { [2i64, 0i64, 21i64] }
entry deep (ns: []i64) : []i64 =
  map (\n -> i64.sum (map (\m -> i64.sum (filter (\x -> x % 2 == 1) (iota m)) * m) (iota n))) ns

-- The rows of a flatmap are results of a filter.
-- ==
-- entry: flat
-- input { [3i64, 0i64, 5i64] } output { [0i64, 2i64, 0i64, 2i64, 4i64] [2i64, 0i64, 3i64] }
entry flat (ns: []i64) =
  let (lengths, _, _, rows, _) = flatmap (\n -> (filter (\x -> x % 2 == 0) (iota n), ())) ns
  in (rows, lengths)

-- Checks fail as they do elsewhere.
-- ==
-- entry: check
-- input { [1i64, 2i64] [5, 6, 7] } output { [5, 11] }
-- input { [1i64, 4i64] [5, 6, 7] } error: out of bounds
entry check (ns: []i64) (xs: []i32) : []i32 =
  map (\n -> reduce (+) 0 (filter (> 0) xs[0:n])) ns

-- A slice of negative length has no element to fail at; the size of one is computed by code between scalar statements.
-- ==
-- entry: negative_slice
-- input { [1i64, 5i64] [0i64, 3i64] } output { [0i64, 7i64] }
-- input { [1i64, 2i64] [0i64, 3i64] } error: out of bounds
entry negative_slice (ns: []i64) (is: []i64) : []i64 =
  map2 (\n i -> i64.sum (opaque (iota n))[i:]) ns is

-- ==
-- entry: opaque_range
-- input { [1i64, 2i64] [3i64, 3i64] [10i64, 8i64] } output { [25i64, 27i64] }
-- input { [1i64, 2i64] [3i64, 2i64] [10i64, 8i64] } error: invalid
entry opaque_range (as: []i64) (bs: []i64) (cs: []i64) : []i64 =
  map3 (\a b c -> i64.sum (opaque (a..b..<c))) as bs cs

-- Many rows: the outer level is enough.
-- ==
-- entry: many
-- input { 100i64 } output { 80850i64 }
entry many (n: i64) : i64 =
  i64.sum (map (\k -> i64.sum (filter (\x -> x % 2 == 0) (iota k))) (iota n))
