-- SPDX-License-Identifier: Apache-2.0
-- Segments of very different lengths, one of them long enough to be shared by all threads.

def length_of (n: i64) (i: i64) : i64 =
  if i == n / 3 then 300000 else if i % 5 == 0 then 0 else if i % 7 == 0 then 3 * i else i % 11

-- ==
-- entry: sums
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 5i64 } output { true }
-- input { 400i64 } output { true }
entry sums (n: i64) : bool =
  let ls = map (length_of n) (iota n)
  let os = map2 (-) (scan (+) 0 ls) ls
  let xs = map (\i -> i * 7919 % 1000 - 300) (iota (i64.sum ls))
  let got = map2 (\o l -> i64.sum (#[unsafe] xs[o:o + l])) os ls
  let before = scan (+) 0 xs
  let upto i = if i == 0 then 0 else before[i - 1]
  in and (map3 (\o l s -> s == upto (o + l) - upto o) os ls got)

def row (n: i64, i: i64) : []i64 = scan (+) 0 (map (\k -> (k * 31 + i) % 100) (iota (length_of n i)))

-- Scans inside segments.
-- ==
-- entry: scans
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 5i64 } output { true }
-- input { 400i64 } output { true }
entry scans (n: i64) : bool =
  let (ls, _, os, d) = flatmap' row (map (\i -> (n, i)) (iota n))
  in and (map3 (\i l o -> and (map (\k -> d[o + k] == (if k == 0 then 0 else d[o + k - 1]) + (k * 31 + i) % 100)
                                   (iota l)))
               (iota n) ls os)
