-- SPDX-License-Identifier: Apache-2.0
-- Maps that change an array where it is, at the indices on one side of a border only.  Results are the sums of
-- elements and of elements times their places.
def sums [n] (xs: [n]i64) : (i64, i64) = (i64.sum xs, i64.sum (map2 (*) xs (iota n)))
def start (n: i64) : *[n]i64 = map (\i -> i * 7 % 13) (iota n)

-- ==
-- entry: below
-- input { 70i64 -9223372036854775808i64 } output { 408i64 14146i64 }
-- input { 70i64 -1i64 } output { 408i64 14146i64 }
-- input { 70i64 0i64 } output { 408i64 14146i64 }
-- input { 70i64 3i64 } output { 631i64 14395i64 }
-- input { 70i64 69i64 } output { 11309i64 390084i64 }
-- input { 70i64 70i64 } output { 11366i64 394017i64 }
-- input { 70i64 9223372036854775807i64 } output { 11366i64 394017i64 }
-- input { 3i64 -9223372036854775808i64 } output { 8i64 9i64 }
-- input { 3i64 -1i64 } output { 8i64 9i64 }
-- input { 3i64 0i64 } output { 8i64 9i64 }
-- input { 3i64 3i64 } output { 231i64 258i64 }
-- input { 3i64 69i64 } output { 231i64 258i64 }
-- input { 3i64 70i64 } output { 231i64 258i64 }
-- input { 3i64 9223372036854775807i64 } output { 231i64 258i64 }
entry below (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i < k then x * 3 + r else x) (iota n) xs)

-- ==
-- entry: below_kept
-- input { 70i64 -9223372036854775808i64 } output { 11366i64 394017i64 }
-- input { 70i64 -1i64 } output { 11366i64 394017i64 }
-- input { 70i64 0i64 } output { 11366i64 394017i64 }
-- input { 70i64 3i64 } output { 11143i64 393768i64 }
-- input { 70i64 69i64 } output { 465i64 18079i64 }
-- input { 70i64 70i64 } output { 408i64 14146i64 }
-- input { 70i64 9223372036854775807i64 } output { 408i64 14146i64 }
-- input { 3i64 -9223372036854775808i64 } output { 231i64 258i64 }
-- input { 3i64 -1i64 } output { 231i64 258i64 }
-- input { 3i64 0i64 } output { 231i64 258i64 }
-- input { 3i64 3i64 } output { 8i64 9i64 }
-- input { 3i64 69i64 } output { 8i64 9i64 }
-- input { 3i64 70i64 } output { 8i64 9i64 }
-- input { 3i64 9223372036854775807i64 } output { 8i64 9i64 }
entry below_kept (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i < k then x else x * 3 + r) (iota n) xs)

-- ==
-- entry: up_to
-- input { 70i64 -9223372036854775808i64 } output { 408i64 14146i64 }
-- input { 70i64 -1i64 } output { 408i64 14146i64 }
-- input { 70i64 0i64 } output { 413i64 14146i64 }
-- input { 70i64 3i64 } output { 844i64 15034i64 }
-- input { 70i64 69i64 } output { 11366i64 394017i64 }
-- input { 70i64 70i64 } output { 11366i64 394017i64 }
-- input { 70i64 9223372036854775807i64 } output { 11366i64 394017i64 }
-- input { 3i64 -9223372036854775808i64 } output { 8i64 9i64 }
-- input { 3i64 -1i64 } output { 8i64 9i64 }
-- input { 3i64 0i64 } output { 13i64 9i64 }
-- input { 3i64 3i64 } output { 231i64 258i64 }
-- input { 3i64 69i64 } output { 231i64 258i64 }
-- input { 3i64 70i64 } output { 231i64 258i64 }
-- input { 3i64 9223372036854775807i64 } output { 231i64 258i64 }
entry up_to (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i <= k then x * 3 + r else x) (iota n) xs)

-- ==
-- entry: up_to_kept
-- input { 70i64 -9223372036854775808i64 } output { 11366i64 394017i64 }
-- input { 70i64 -1i64 } output { 11366i64 394017i64 }
-- input { 70i64 0i64 } output { 11361i64 394017i64 }
-- input { 70i64 3i64 } output { 10930i64 393129i64 }
-- input { 70i64 69i64 } output { 408i64 14146i64 }
-- input { 70i64 70i64 } output { 408i64 14146i64 }
-- input { 70i64 9223372036854775807i64 } output { 408i64 14146i64 }
-- input { 3i64 -9223372036854775808i64 } output { 231i64 258i64 }
-- input { 3i64 -1i64 } output { 231i64 258i64 }
-- input { 3i64 0i64 } output { 226i64 258i64 }
-- input { 3i64 3i64 } output { 8i64 9i64 }
-- input { 3i64 69i64 } output { 8i64 9i64 }
-- input { 3i64 70i64 } output { 8i64 9i64 }
-- input { 3i64 9223372036854775807i64 } output { 8i64 9i64 }
entry up_to_kept (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i <= k then x else x * 3 + r) (iota n) xs)

-- ==
-- entry: above
-- input { 70i64 -9223372036854775808i64 } output { 11366i64 394017i64 }
-- input { 70i64 -1i64 } output { 11366i64 394017i64 }
-- input { 70i64 0i64 } output { 11361i64 394017i64 }
-- input { 70i64 3i64 } output { 10930i64 393129i64 }
-- input { 70i64 69i64 } output { 408i64 14146i64 }
-- input { 70i64 70i64 } output { 408i64 14146i64 }
-- input { 70i64 9223372036854775807i64 } output { 408i64 14146i64 }
-- input { 3i64 -9223372036854775808i64 } output { 231i64 258i64 }
-- input { 3i64 -1i64 } output { 231i64 258i64 }
-- input { 3i64 0i64 } output { 226i64 258i64 }
-- input { 3i64 3i64 } output { 8i64 9i64 }
-- input { 3i64 69i64 } output { 8i64 9i64 }
-- input { 3i64 70i64 } output { 8i64 9i64 }
-- input { 3i64 9223372036854775807i64 } output { 8i64 9i64 }
entry above (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i > k then x * 3 + r else x) (iota n) xs)

-- ==
-- entry: above_kept
-- input { 70i64 -9223372036854775808i64 } output { 408i64 14146i64 }
-- input { 70i64 -1i64 } output { 408i64 14146i64 }
-- input { 70i64 0i64 } output { 413i64 14146i64 }
-- input { 70i64 3i64 } output { 844i64 15034i64 }
-- input { 70i64 69i64 } output { 11366i64 394017i64 }
-- input { 70i64 70i64 } output { 11366i64 394017i64 }
-- input { 70i64 9223372036854775807i64 } output { 11366i64 394017i64 }
-- input { 3i64 -9223372036854775808i64 } output { 8i64 9i64 }
-- input { 3i64 -1i64 } output { 8i64 9i64 }
-- input { 3i64 0i64 } output { 13i64 9i64 }
-- input { 3i64 3i64 } output { 231i64 258i64 }
-- input { 3i64 69i64 } output { 231i64 258i64 }
-- input { 3i64 70i64 } output { 231i64 258i64 }
-- input { 3i64 9223372036854775807i64 } output { 231i64 258i64 }
entry above_kept (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i > k then x else x * 3 + r) (iota n) xs)

-- ==
-- entry: from
-- input { 70i64 -9223372036854775808i64 } output { 11366i64 394017i64 }
-- input { 70i64 -1i64 } output { 11366i64 394017i64 }
-- input { 70i64 0i64 } output { 11366i64 394017i64 }
-- input { 70i64 3i64 } output { 11143i64 393768i64 }
-- input { 70i64 69i64 } output { 465i64 18079i64 }
-- input { 70i64 70i64 } output { 408i64 14146i64 }
-- input { 70i64 9223372036854775807i64 } output { 408i64 14146i64 }
-- input { 3i64 -9223372036854775808i64 } output { 231i64 258i64 }
-- input { 3i64 -1i64 } output { 231i64 258i64 }
-- input { 3i64 0i64 } output { 231i64 258i64 }
-- input { 3i64 3i64 } output { 8i64 9i64 }
-- input { 3i64 69i64 } output { 8i64 9i64 }
-- input { 3i64 70i64 } output { 8i64 9i64 }
-- input { 3i64 9223372036854775807i64 } output { 8i64 9i64 }
entry from (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i >= k then x * 3 + r else x) (iota n) xs)

-- ==
-- entry: from_kept
-- input { 70i64 -9223372036854775808i64 } output { 408i64 14146i64 }
-- input { 70i64 -1i64 } output { 408i64 14146i64 }
-- input { 70i64 0i64 } output { 408i64 14146i64 }
-- input { 70i64 3i64 } output { 631i64 14395i64 }
-- input { 70i64 69i64 } output { 11309i64 390084i64 }
-- input { 70i64 70i64 } output { 11366i64 394017i64 }
-- input { 70i64 9223372036854775807i64 } output { 11366i64 394017i64 }
-- input { 3i64 -9223372036854775808i64 } output { 8i64 9i64 }
-- input { 3i64 -1i64 } output { 8i64 9i64 }
-- input { 3i64 0i64 } output { 8i64 9i64 }
-- input { 3i64 3i64 } output { 231i64 258i64 }
-- input { 3i64 69i64 } output { 231i64 258i64 }
-- input { 3i64 70i64 } output { 231i64 258i64 }
-- input { 3i64 9223372036854775807i64 } output { 231i64 258i64 }
entry from_kept (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i >= k then x else x * 3 + r) (iota n) xs)

-- ==
-- entry: at
-- input { 70i64 -9223372036854775808i64 } output { 408i64 14146i64 }
-- input { 70i64 -1i64 } output { 408i64 14146i64 }
-- input { 70i64 0i64 } output { 413i64 14146i64 }
-- input { 70i64 3i64 } output { 621i64 14785i64 }
-- input { 70i64 69i64 } output { 465i64 18079i64 }
-- input { 70i64 70i64 } output { 408i64 14146i64 }
-- input { 70i64 9223372036854775807i64 } output { 408i64 14146i64 }
-- input { 3i64 -9223372036854775808i64 } output { 8i64 9i64 }
-- input { 3i64 -1i64 } output { 8i64 9i64 }
-- input { 3i64 0i64 } output { 13i64 9i64 }
-- input { 3i64 3i64 } output { 8i64 9i64 }
-- input { 3i64 69i64 } output { 8i64 9i64 }
-- input { 3i64 70i64 } output { 8i64 9i64 }
-- input { 3i64 9223372036854775807i64 } output { 8i64 9i64 }
entry at (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i == k then x * 3 + r else x) (iota n) xs)

-- ==
-- entry: at_kept
-- input { 70i64 -9223372036854775808i64 } output { 11366i64 394017i64 }
-- input { 70i64 -1i64 } output { 11366i64 394017i64 }
-- input { 70i64 0i64 } output { 11361i64 394017i64 }
-- input { 70i64 3i64 } output { 11153i64 393378i64 }
-- input { 70i64 69i64 } output { 11309i64 390084i64 }
-- input { 70i64 70i64 } output { 11366i64 394017i64 }
-- input { 70i64 9223372036854775807i64 } output { 11366i64 394017i64 }
-- input { 3i64 -9223372036854775808i64 } output { 231i64 258i64 }
-- input { 3i64 -1i64 } output { 231i64 258i64 }
-- input { 3i64 0i64 } output { 226i64 258i64 }
-- input { 3i64 3i64 } output { 231i64 258i64 }
-- input { 3i64 69i64 } output { 231i64 258i64 }
-- input { 3i64 70i64 } output { 231i64 258i64 }
-- input { 3i64 9223372036854775807i64 } output { 231i64 258i64 }
entry at_kept (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i == k then x else x * 3 + r) (iota n) xs)

-- ==
-- entry: not_at
-- input { 70i64 -9223372036854775808i64 } output { 11366i64 394017i64 }
-- input { 70i64 -1i64 } output { 11366i64 394017i64 }
-- input { 70i64 0i64 } output { 11361i64 394017i64 }
-- input { 70i64 3i64 } output { 11153i64 393378i64 }
-- input { 70i64 69i64 } output { 11309i64 390084i64 }
-- input { 70i64 70i64 } output { 11366i64 394017i64 }
-- input { 70i64 9223372036854775807i64 } output { 11366i64 394017i64 }
-- input { 3i64 -9223372036854775808i64 } output { 231i64 258i64 }
-- input { 3i64 -1i64 } output { 231i64 258i64 }
-- input { 3i64 0i64 } output { 226i64 258i64 }
-- input { 3i64 3i64 } output { 231i64 258i64 }
-- input { 3i64 69i64 } output { 231i64 258i64 }
-- input { 3i64 70i64 } output { 231i64 258i64 }
-- input { 3i64 9223372036854775807i64 } output { 231i64 258i64 }
entry not_at (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i != k then x * 3 + r else x) (iota n) xs)

-- ==
-- entry: not_at_kept
-- input { 70i64 -9223372036854775808i64 } output { 408i64 14146i64 }
-- input { 70i64 -1i64 } output { 408i64 14146i64 }
-- input { 70i64 0i64 } output { 413i64 14146i64 }
-- input { 70i64 3i64 } output { 621i64 14785i64 }
-- input { 70i64 69i64 } output { 465i64 18079i64 }
-- input { 70i64 70i64 } output { 408i64 14146i64 }
-- input { 70i64 9223372036854775807i64 } output { 408i64 14146i64 }
-- input { 3i64 -9223372036854775808i64 } output { 8i64 9i64 }
-- input { 3i64 -1i64 } output { 8i64 9i64 }
-- input { 3i64 0i64 } output { 13i64 9i64 }
-- input { 3i64 3i64 } output { 8i64 9i64 }
-- input { 3i64 69i64 } output { 8i64 9i64 }
-- input { 3i64 70i64 } output { 8i64 9i64 }
-- input { 3i64 9223372036854775807i64 } output { 8i64 9i64 }
entry not_at_kept (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i != k then x else x * 3 + r) (iota n) xs)

-- ==
-- entry: between
-- input { 70i64 -9223372036854775808i64 } output { 408i64 14146i64 }
-- input { 70i64 -1i64 } output { 844i64 15034i64 }
-- input { 70i64 0i64 } output { 901i64 15262i64 }
-- input { 70i64 3i64 } output { 1265i64 18561i64 }
-- input { 70i64 69i64 } output { 465i64 18079i64 }
-- input { 70i64 70i64 } output { 408i64 14146i64 }
-- input { 70i64 9223372036854775807i64 } output { 408i64 14146i64 }
-- input { 3i64 -9223372036854775808i64 } output { 8i64 9i64 }
-- input { 3i64 -1i64 } output { 231i64 258i64 }
-- input { 3i64 0i64 } output { 231i64 258i64 }
-- input { 3i64 3i64 } output { 8i64 9i64 }
-- input { 3i64 69i64 } output { 8i64 9i64 }
-- input { 3i64 70i64 } output { 8i64 9i64 }
-- input { 3i64 9223372036854775807i64 } output { 8i64 9i64 }
entry between (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if k <= i && i < k + 5 then x * 3 + r else x) (iota n) xs)

-- ==
-- entry: between_kept
-- input { 70i64 -9223372036854775808i64 } output { 11366i64 394017i64 }
-- input { 70i64 -1i64 } output { 10930i64 393129i64 }
-- input { 70i64 0i64 } output { 10873i64 392901i64 }
-- input { 70i64 3i64 } output { 10509i64 389602i64 }
-- input { 70i64 69i64 } output { 11309i64 390084i64 }
-- input { 70i64 70i64 } output { 11366i64 394017i64 }
-- input { 70i64 9223372036854775807i64 } output { 11366i64 394017i64 }
-- input { 3i64 -9223372036854775808i64 } output { 231i64 258i64 }
-- input { 3i64 -1i64 } output { 8i64 9i64 }
-- input { 3i64 0i64 } output { 8i64 9i64 }
-- input { 3i64 3i64 } output { 231i64 258i64 }
-- input { 3i64 69i64 } output { 231i64 258i64 }
-- input { 3i64 70i64 } output { 231i64 258i64 }
-- input { 3i64 9223372036854775807i64 } output { 231i64 258i64 }
entry between_kept (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if k <= i && i < k + 5 then x else x * 3 + r) (iota n) xs)

-- ==
-- entry: outside
-- input { 70i64 -9223372036854775808i64 } output { 11366i64 394017i64 }
-- input { 70i64 -1i64 } output { 10930i64 393129i64 }
-- input { 70i64 0i64 } output { 10873i64 392901i64 }
-- input { 70i64 3i64 } output { 10509i64 389602i64 }
-- input { 70i64 69i64 } output { 11309i64 390084i64 }
-- input { 70i64 70i64 } output { 11366i64 394017i64 }
-- input { 70i64 9223372036854775807i64 } output { 11366i64 394017i64 }
-- input { 3i64 -9223372036854775808i64 } output { 231i64 258i64 }
-- input { 3i64 -1i64 } output { 8i64 9i64 }
-- input { 3i64 0i64 } output { 8i64 9i64 }
-- input { 3i64 3i64 } output { 231i64 258i64 }
-- input { 3i64 69i64 } output { 231i64 258i64 }
-- input { 3i64 70i64 } output { 231i64 258i64 }
-- input { 3i64 9223372036854775807i64 } output { 231i64 258i64 }
entry outside (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i < k || i >= k + 5 then x * 3 + r else x) (iota n) xs)

-- ==
-- entry: outside_kept
-- input { 70i64 -9223372036854775808i64 } output { 408i64 14146i64 }
-- input { 70i64 -1i64 } output { 844i64 15034i64 }
-- input { 70i64 0i64 } output { 901i64 15262i64 }
-- input { 70i64 3i64 } output { 1265i64 18561i64 }
-- input { 70i64 69i64 } output { 465i64 18079i64 }
-- input { 70i64 70i64 } output { 408i64 14146i64 }
-- input { 70i64 9223372036854775807i64 } output { 408i64 14146i64 }
-- input { 3i64 -9223372036854775808i64 } output { 8i64 9i64 }
-- input { 3i64 -1i64 } output { 231i64 258i64 }
-- input { 3i64 0i64 } output { 231i64 258i64 }
-- input { 3i64 3i64 } output { 8i64 9i64 }
-- input { 3i64 69i64 } output { 8i64 9i64 }
-- input { 3i64 70i64 } output { 8i64 9i64 }
-- input { 3i64 9223372036854775807i64 } output { 8i64 9i64 }
entry outside_kept (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if i < k || i >= k + 5 then x else x * 3 + r) (iota n) xs)

-- ==
-- entry: reverse
-- input { 70i64 -9223372036854775808i64 } output { 11366i64 394017i64 }
-- input { 70i64 -1i64 } output { 11366i64 394017i64 }
-- input { 70i64 0i64 } output { 11366i64 394017i64 }
-- input { 70i64 3i64 } output { 11143i64 393768i64 }
-- input { 70i64 69i64 } output { 465i64 18079i64 }
-- input { 70i64 70i64 } output { 408i64 14146i64 }
-- input { 70i64 9223372036854775807i64 } output { 408i64 14146i64 }
-- input { 3i64 -9223372036854775808i64 } output { 231i64 258i64 }
-- input { 3i64 -1i64 } output { 231i64 258i64 }
-- input { 3i64 0i64 } output { 231i64 258i64 }
-- input { 3i64 3i64 } output { 8i64 9i64 }
-- input { 3i64 69i64 } output { 8i64 9i64 }
-- input { 3i64 70i64 } output { 8i64 9i64 }
-- input { 3i64 9223372036854775807i64 } output { 8i64 9i64 }
entry reverse (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if !(k > i) then x * 3 + r else x) (iota n) xs)

-- ==
-- entry: reverse_kept
-- input { 70i64 -9223372036854775808i64 } output { 408i64 14146i64 }
-- input { 70i64 -1i64 } output { 408i64 14146i64 }
-- input { 70i64 0i64 } output { 408i64 14146i64 }
-- input { 70i64 3i64 } output { 631i64 14395i64 }
-- input { 70i64 69i64 } output { 11309i64 390084i64 }
-- input { 70i64 70i64 } output { 11366i64 394017i64 }
-- input { 70i64 9223372036854775807i64 } output { 11366i64 394017i64 }
-- input { 3i64 -9223372036854775808i64 } output { 8i64 9i64 }
-- input { 3i64 -1i64 } output { 8i64 9i64 }
-- input { 3i64 0i64 } output { 8i64 9i64 }
-- input { 3i64 3i64 } output { 231i64 258i64 }
-- input { 3i64 69i64 } output { 231i64 258i64 }
-- input { 3i64 70i64 } output { 231i64 258i64 }
-- input { 3i64 9223372036854775807i64 } output { 231i64 258i64 }
entry reverse_kept (n: i64) (k: i64) : (i64, i64) =
  sums (loop xs = start n for r < 3 do map2 (\i x -> if !(k > i) then x else x * 3 + r) (iota n) xs)

-- ==
-- entry: rows_below
-- input { 70i64 37i64 -1i64 } output { 104475i64 174376615i64 }
-- input { 70i64 37i64 0i64 } output { 104475i64 174376615i64 }
-- input { 70i64 37i64 3i64 } output { 126093i64 175705528i64 }
-- input { 70i64 37i64 36i64 } output { 104331i64 174278191i64 }
-- input { 5i64 100i64 -1i64 } output { 3950i64 1086585i64 }
-- input { 5i64 100i64 0i64 } output { 3950i64 1086585i64 }
-- input { 5i64 100i64 3i64 } output { 66269i64 11263926i64 }
-- input { 5i64 100i64 36i64 } output { 84050i64 25002965i64 }
entry rows_below (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> if i < k then
                     let f = xs[r % m]
                     in map2 (\j x -> if j < k then x else if j == k then f else x * 3 + f) (iota m) xs
                   else xs)
         (iota n) xss))

-- ==
-- entry: rows_up_to
-- input { 70i64 37i64 -1i64 } output { 104475i64 174376615i64 }
-- input { 70i64 37i64 0i64 } output { 113469i64 174543775i64 }
-- input { 70i64 37i64 3i64 } output { 135873i64 176987191i64 }
-- input { 70i64 37i64 36i64 } output { 104327i64 174272719i64 }
-- input { 5i64 100i64 -1i64 } output { 3950i64 1086585i64 }
-- input { 5i64 100i64 0i64 } output { 28527i64 2311777i64 }
-- input { 5i64 100i64 3i64 } output { 94530i64 21193405i64 }
-- input { 5i64 100i64 36i64 } output { 84050i64 25002965i64 }
entry rows_up_to (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> if i <= k then
                     let f = xs[r % m]
                     in map2 (\j x -> if j < k then x else if j == k then f else x * 3 + f) (iota m) xs
                   else xs)
         (iota n) xss))

-- ==
-- entry: rows_above
-- input { 70i64 37i64 -1i64 } output { 6367830i64 10747302685i64 }
-- input { 70i64 37i64 0i64 } output { 6238506i64 10542780640i64 }
-- input { 70i64 37i64 3i64 } output { 3595512i64 6099468799i64 }
-- input { 70i64 37i64 36i64 } output { 104343i64 174113011i64 }
-- input { 5i64 100i64 -1i64 } output { 190150i64 53871045i64 }
-- input { 5i64 100i64 0i64 } output { 164778i64 52438853i64 }
-- input { 5i64 100i64 3i64 } output { 35955i64 15532580i64 }
-- input { 5i64 100i64 36i64 } output { 3950i64 1086585i64 }
entry rows_above (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> if i > k then
                     let f = xs[r % m]
                     in map2 (\j x -> if j < k then x else if j == k then f else x * 3 + f) (iota m) xs
                   else xs)
         (iota n) xss))

-- ==
-- entry: rows_from
-- input { 70i64 37i64 -1i64 } output { 6367830i64 10747302685i64 }
-- input { 70i64 37i64 0i64 } output { 6247500i64 10542947800i64 }
-- input { 70i64 37i64 3i64 } output { 3605292i64 6100750462i64 }
-- input { 70i64 37i64 36i64 } output { 104339i64 174107539i64 }
-- input { 5i64 100i64 -1i64 } output { 190150i64 53871045i64 }
-- input { 5i64 100i64 0i64 } output { 189355i64 53664045i64 }
-- input { 5i64 100i64 3i64 } output { 64216i64 25462059i64 }
-- input { 5i64 100i64 36i64 } output { 3950i64 1086585i64 }
entry rows_from (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> if i >= k then
                     let f = xs[r % m]
                     in map2 (\j x -> if j < k then x else if j == k then f else x * 3 + f) (iota m) xs
                   else xs)
         (iota n) xss))

-- ==
-- entry: rows_at
-- input { 70i64 37i64 -1i64 } output { 104475i64 174376615i64 }
-- input { 70i64 37i64 0i64 } output { 113469i64 174543775i64 }
-- input { 70i64 37i64 3i64 } output { 114255i64 175658278i64 }
-- input { 70i64 37i64 36i64 } output { 104471i64 174371143i64 }
-- input { 5i64 100i64 -1i64 } output { 3950i64 1086585i64 }
-- input { 5i64 100i64 0i64 } output { 28527i64 2311777i64 }
-- input { 5i64 100i64 3i64 } output { 32211i64 11016064i64 }
-- input { 5i64 100i64 36i64 } output { 3950i64 1086585i64 }
entry rows_at (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> if i == k then
                     let f = xs[r % m]
                     in map2 (\j x -> if j < k then x else if j == k then f else x * 3 + f) (iota m) xs
                   else xs)
         (iota n) xss))

-- ==
-- entry: rows_not_at
-- input { 70i64 37i64 -1i64 } output { 6367830i64 10747302685i64 }
-- input { 70i64 37i64 0i64 } output { 6238506i64 10542780640i64 }
-- input { 70i64 37i64 3i64 } output { 3617130i64 6100797712i64 }
-- input { 70i64 37i64 36i64 } output { 104199i64 174014587i64 }
-- input { 5i64 100i64 -1i64 } output { 190150i64 53871045i64 }
-- input { 5i64 100i64 0i64 } output { 164778i64 52438853i64 }
-- input { 5i64 100i64 3i64 } output { 98274i64 25709921i64 }
-- input { 5i64 100i64 36i64 } output { 84050i64 25002965i64 }
entry rows_not_at (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> if i != k then
                     let f = xs[r % m]
                     in map2 (\j x -> if j < k then x else if j == k then f else x * 3 + f) (iota m) xs
                   else xs)
         (iota n) xss))

-- ==
-- entry: rows_between
-- input { 70i64 37i64 -1i64 } output { 154689i64 178515115i64 }
-- input { 70i64 37i64 0i64 } output { 172275i64 181493905i64 }
-- input { 70i64 37i64 3i64 } output { 166245i64 187518070i64 }
-- input { 70i64 37i64 36i64 } output { 104455i64 174347775i64 }
-- input { 5i64 100i64 -1i64 } output { 140310i64 31462453i64 }
-- input { 5i64 100i64 0i64 } output { 189355i64 53664045i64 }
-- input { 5i64 100i64 3i64 } output { 64216i64 25462059i64 }
-- input { 5i64 100i64 36i64 } output { 3950i64 1086585i64 }
entry rows_between (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> if k <= i && i < k + 5 then
                     let f = xs[r % m]
                     in map2 (\j x -> if j < k then x else if j == k then f else x * 3 + f) (iota m) xs
                   else xs)
         (iota n) xss))

-- ==
-- entry: corner
-- input { 70i64 37i64 -1i64 } output { 2833775i64 4724932380i64 }
-- input { 70i64 37i64 0i64 } output { 2764839i64 4616734063i64 }
-- input { 70i64 37i64 3i64 } output { 2525487i64 4252793650i64 }
-- input { 70i64 37i64 36i64 } output { 104475i64 174376615i64 }
-- input { 5i64 100i64 -1i64 } output { 109150i64 29961545i64 }
-- input { 5i64 100i64 0i64 } output { 93030i64 29088953i64 }
-- input { 5i64 100i64 3i64 } output { 29338i64 12544665i64 }
-- input { 5i64 100i64 36i64 } output { 3950i64 1086585i64 }
entry corner (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> map2 (\j x -> if i > k && j > k then x * 3 + r else x) (iota m) xs) (iota n) xss))

-- ==
-- entry: cross
-- input { 70i64 37i64 -1i64 } output { 104475i64 174376615i64 }
-- input { 70i64 37i64 0i64 } output { 173411i64 282574932i64 }
-- input { 70i64 37i64 3i64 } output { 190571i64 302376903i64 }
-- input { 70i64 37i64 36i64 } output { 216077i64 349806726i64 }
-- input { 5i64 100i64 -1i64 } output { 3950i64 1086585i64 }
-- input { 5i64 100i64 0i64 } output { 20070i64 1959177i64 }
-- input { 5i64 100i64 3i64 } output { 28624i64 9561079i64 }
-- input { 5i64 100i64 36i64 } output { 4885i64 1333245i64 }
entry cross (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> map2 (\j x -> if i == k || j == k then x * 3 + r else x) (iota m) xs) (iota n) xss))

-- ==
-- entry: strip
-- input { 70i64 37i64 -1i64 } output { 167615i64 282466380i64 }
-- input { 70i64 37i64 0i64 } output { 243495i64 406894635i64 }
-- input { 70i64 37i64 3i64 } output { 248955i64 414288665i64 }
-- input { 70i64 37i64 36i64 } output { 176715i64 296683170i64 }
-- input { 5i64 100i64 -1i64 } output { 4235i64 1169585i64 }
-- input { 5i64 100i64 0i64 } output { 5430i64 1435780i64 }
-- input { 5i64 100i64 3i64 } output { 5820i64 1518740i64 }
-- input { 5i64 100i64 36i64 } output { 6730i64 1796510i64 }
entry strip (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> map2 (\j x -> if j >= k && j < k + 2 then x * 3 + r else x) (iota m) xs) (iota n) xss))

-- ==
-- entry: one
-- input { 70i64 37i64 -1i64 } output { 104475i64 174376615i64 }
-- input { 70i64 37i64 0i64 } output { 104480i64 174376615i64 }
-- input { 70i64 37i64 3i64 } output { 104766i64 174409789i64 }
-- input { 70i64 37i64 36i64 } output { 105546i64 175841743i64 }
-- input { 5i64 100i64 -1i64 } output { 3950i64 1086585i64 }
-- input { 5i64 100i64 0i64 } output { 3955i64 1086585i64 }
-- input { 5i64 100i64 3i64 } output { 4241i64 1174758i64 }
-- input { 5i64 100i64 36i64 } output { 3950i64 1086585i64 }
entry one (n: i64) (m: i64) (k: i64) : (i64, i64) =
  sums (flatten (loop xss = map (\i -> map (+ i) (start m)) (iota n) for r < 3 do
    map2 (\i xs -> map2 (\j x -> if i == k && j == k then x * 3 + r else x) (iota m) xs) (iota n) xss))

-- Column k is done before the others, wherever k is.
-- ==
-- entry: column
-- input { 70i64 -9223372036854775808i64 } output { -956690i64 -1581871620i64 }
-- input { 70i64 -1i64 } output { -956690i64 -1581871620i64 }
-- input { 70i64 0i64 } output { 57358i64 70112406i64 }
-- input { 70i64 3i64 } output { 36693i64 35685851i64 }
-- input { 200i64 64i64 } output { 1528042i64 7920534680i64 }
-- input { 200i64 136i64 } output { 2962627i64 27218787496i64 }
-- input { 70i64 69i64 } output { 197607i64 311210977i64 }
-- input { 70i64 70i64 } output { 197610i64 311211460i64 }
-- input { 70i64 9223372036854775807i64 } output { 197610i64 311211460i64 }
entry column (n: i64) (k: i64) : (i64, i64) =
  let a = loop a = map (\i -> map (+ i) (start n)) (iota n) for r < 3 do
            let row = copy a[r]
            in map2 (\i xs ->
                       if i <= r then xs
                       else let f = xs[0]
                            in map3 (\j x y -> if j < k then x else if j == k then f + r else x - f * y) (iota n) xs row)
                    (iota n) a
  in (i64.sum (map i64.sum a), i64.sum (map2 (\i xs -> (i + 1) * (sums xs).1) (iota n) a))
