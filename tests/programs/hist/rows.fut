-- SPDX-License-Identifier: Apache-2.0
-- Rows of bins that the histogram itself fills: few and many rows, no points, no bins, rows of rows.

-- ==
-- entry: counts pairs
-- input { 0i64 3i64 4i64 } output { true }
-- input { 5i64 100i64 7i64 } output { true }
-- input { 8i64 0i64 3i64 } output { true }
-- input { 40i64 33i64 0i64 } output { true }
-- input { 40i64 33i64 1i64 } output { true }
-- compiled input { 64i64 50i64 3000i64 } output { true }
def bin (i: i64) (j: i64) (k: i64) = (i * 7 + j * j) % (k + 1)

entry counts (n: i64) (m: i64) (k: i64) : bool =
  let found = tabulate n (\i -> hist (+) 3i32 k (map (\j -> bin i j k) (iota m)) (replicate m 1))
  let wanted (i: i64) (b: i64) = loop c = 3i32 for j < m do if bin i j k == b then c + 1 else c
  in and (tabulate n (\i -> and (tabulate k (\b -> found[i, b] == wanted i b))))

entry pairs (n: i64) (m: i64) (k: i64) : bool =
  let found = tabulate_2d n 3 (\i l -> hist (+) 0i16 k (map (\j -> bin (i + l) j k) (iota m)) (replicate m 2))
  let wanted (i: i64) (b: i64) = loop c = 0i16 for j < m do if bin i j k == b then c + 2 else c
  in and (flatten (tabulate_2d n 3 (\i l -> and (tabulate k (\b -> found[i, l, b] == wanted (i + l) b)))))
