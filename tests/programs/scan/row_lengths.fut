-- SPDX-License-Identifier: Apache-2.0
-- Rows of all lengths, scanned element by element and in vectors.

def by_loop [n] (xs: [n]i32) : [n]i32 =
  (loop (acc, out) = (0, replicate n 0) for i < n do
     let acc = acc + xs[i] in (acc, out with [i] = acc)).1

-- ==
-- entry: agree
-- input { 0i64 5i64 } output { true }
-- input { 7i64 0i64 } output { true }
-- input { 50i64 1i64 } output { true }
-- input { 9i64 23i64 } output { true }
-- input { 9i64 24i64 } output { true }
-- input { 9i64 25i64 } output { true }
-- input { 1000i64 10i64 } output { true }
-- input { 3i64 70000i64 } output { true }
entry agree (n: i64) (m: i64) : bool =
  let xss = tabulate_2d n m (\i j -> i32.i64 ((i * 31 + j * 17 + i * j) % 101) - 50)
  let scanned = map (scan (+) 0) xss
  let expected = #[sequential] map by_loop xss
  in and (map2 (\a b -> and (map2 (==) a b)) scanned expected)
