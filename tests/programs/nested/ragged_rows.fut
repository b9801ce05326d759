-- SPDX-License-Identifier: Apache-2.0
-- Reductions and maps over rows of different lengths, however these are distributed: groups of a
-- device take equal shares of rows and elements, so rows are cut anywhere.
-- ==
-- entry: sums
-- input { 0i64 1000i64 9i64 } output { 1000i64 0i64 }
-- input { 0i64 20000i64 1i64 } output { 20000i64 0i64 }
-- input { 0i64 20000i64 0i64 } output { 20000i64 0i64 }
-- input { 0i64 1i64 20000i64 } output { 1i64 0i64 }
-- input { 0i64 3i64 7000i64 } output { 3i64 0i64 }
-- input { 0i64 0i64 5i64 } output { 0i64 0i64 }
-- input { 1i64 3000i64 15000i64 } output { 3000i64 0i64 }
-- input { 2i64 6000i64 7i64 } output { 6000i64 0i64 }
-- input { 3i64 4000i64 20000i64 } output { 4000i64 0i64 }
-- input { 4i64 1500i64 37i64 } output { 1500i64 0i64 }
-- input { 5i64 2000i64 20000i64 } output { 2000i64 0i64 }
-- input { 6i64 2000i64 20000i64 } output { 2000i64 0i64 }
-- input { 7i64 9000i64 5000i64 } output { 9000i64 0i64 }
-- ==
-- entry: products
-- input { 0i64 1000i64 9i64 } output { 0i64 }
-- input { 0i64 3i64 7000i64 } output { 0i64 }
-- input { 1i64 3000i64 15000i64 } output { 0i64 }
-- input { 3i64 4000i64 20000i64 } output { 0i64 }
-- input { 6i64 2000i64 20000i64 } output { 0i64 }
-- ==
-- entry: largest
-- input { 0i64 1000i64 9i64 } output { 0i64 }
-- input { 2i64 6000i64 7i64 } output { 0i64 }
-- input { 3i64 4000i64 20000i64 } output { 0i64 }
-- ==
-- entry: apart
-- input { 0i64 1000i64 9i64 } output { 0i64 }
-- input { 3i64 4000i64 20000i64 } output { 0i64 }
-- input { 1i64 3000i64 15000i64 } output { 0i64 }
-- ==
-- entry: expanded
-- input { 0i64 1000i64 9i64 } output { 0i64 }
-- input { 0i64 20000i64 0i64 } output { 0i64 }
-- input { 1i64 3000i64 15000i64 } output { 0i64 }
-- input { 3i64 4000i64 20000i64 } output { 0i64 }
-- input { 7i64 9000i64 5000i64 } output { 0i64 }
-- ==
-- entry: rows
-- input { [2i64, 5i64, 5i64, 6i64] [9i64, 9i64, 1i64, 2i64, 3i64, 4i64, 9i64] } output { [6i64, 0i64, 4i64] }
-- input { [2i64] [9i64] } output { empty([0]i64) }
-- input { [0i64, 2i64, 1i64] [1i64, 2i64, 3i64] } error: out of bounds
-- input { [0i64, 2i64, 4i64] [1i64, 2i64, 3i64] } error: out of bounds
-- ==
-- entry: gathered
-- input { [0i64, 2i64, 2i64, 3i64] [1i64, 0i64, 2i64] [10i64, 20i64, 30i64] } output { [30i64, 0i64, 30i64] }
-- input { [0i64, 2i64, 2i64, 3i64] [1i64, 0i64, 3i64] [10i64, 20i64, 30i64] } error: Index \[3\] out of bounds

def row_length (kind: i64) (n: i64) (m: i64) (i: i64) : i64 =
  if kind == 1 then (if i == n / 2 then m else 0)                           -- one long row among empty ones
  else if kind == 2 then (if i % 2 == 0 then m else 0)
  else if kind == 3 then m / (8 * (1 + (i * 7919 + 5) % n))                 -- many short rows, few long ones
  else if kind == 4 then i % m
  else if kind == 5 then (if i == 0 then m else i % 3)
  else if kind == 6 then (if i == n - 1 then m else i % 3)
  else if kind == 7 then (if i % 3000 == 1500 then m else if i % 3000 < 1500 then 0 else 1)
  else m

def offsets (kind: i64) (n: i64) (m: i64) : *[n + 1]i64 =
  [0] ++ scan (+) 0 (map (row_length kind n m) (iota n)) :> [n + 1]i64

def value (i: i64) : i64 = (i * 7919 + 13) % 10007 - 5000

-- How many rows there are, and how many of them are wrong.
entry sums (kind: i64) (n: i64) (m: i64) : (i64, i64) =
  let os = offsets kind n m
  let xs = map value (iota os[n])
  let got = map (\i -> i64.sum xs[os[i]:os[i + 1]]) (iota n)
  let before = [0] ++ scan (+) 0 xs
  let wrong = map2 (\i s -> i64.bool (s != before[os[i + 1]] - before[os[i]])) (iota n) got
  in (length got, i64.sum wrong)

-- x ↦ a*x + b: the order matters.
def after (a: i64, b: i64) (c: i64, d: i64) : (i64, i64) = (a * c, b * c + d)

entry products (kind: i64) (n: i64) (m: i64) : i64 =
  let os = offsets kind n m
  let xs = map (\i -> (value i | 1, i)) (iota os[n])
  let got = map (\i -> reduce after (1, 0) xs[os[i]:os[i + 1]]) (iota n)
  let one i = loop acc = (1, 0) for j < os[i + 1] - os[i] do after acc xs[os[i] + j]
  let wrong = map2 (\i (a, b) -> let (c, d) = #[sequential] one i
                                 in i64.bool (a != c || b != d)) (iota n) got
  in i64.sum wrong

-- Values of different types, the row's number, and the place in the row.
entry largest (kind: i64) (n: i64) (m: i64) : i64 =
  let os = offsets kind n m
  let xs = map (\i -> f64.i64 (value i)) (iota os[n])
  let better (a: f64, i: i32) (b: f64, j: i32) = if a > b || (a == b && i < j) then (a, i) else (b, j)
  let row i = let k = os[i + 1] - os[i]
              in reduce_comm better (-f64.inf, i32.highest)
                             (map2 (\x j -> (x * f64.i64 (1 + i % 3), i32.i64 j)) (xs[os[i]:os[i + 1]] :> [k]f64) (iota k))
  let got = map row (iota n)
  let one i = loop acc = (-f64.inf, i32.highest) for j < os[i + 1] - os[i] do
                better acc (xs[os[i] + j] * f64.i64 (1 + i % 3), i32.i64 j)
  let wrong = map2 (\i (a, k) -> let (b, l) = #[sequential] one i in i64.bool (a != b || k != l)) (iota n) got
  in i64.sum wrong

-- Rows that do not follow each other, but overlap, from back to front.
entry apart (kind: i64) (n: i64) (m: i64) : i64 =
  let lengths = map (row_length kind n m) (iota n)
  let most = i64.maximum lengths
  let xs = map value (iota (most + n))
  let got = map2 (\i k -> i64.sum xs[n - i:n - i + k]) (iota n) lengths
  let before = [0] ++ scan (+) 0 xs
  let wrong = map3 (\i k s -> i64.bool (s != before[n - i + k] - before[n - i])) (iota n) lengths got
  in i64.sum wrong

-- Nothing is reduced: each element knows its row.
def numbered (i: i64, k: i64) : []i64 = map (\j -> i * 1000003 + j) (iota k)

entry expanded (kind: i64) (n: i64) (m: i64) : i64 =
  let lengths = map (row_length kind n m) (iota n)
  let os = offsets kind n m
  let (_, _, _, got) = flatmap' numbered (zip (iota n) lengths)
  let ends = hist (+) 0 (os[n] + 1) (map (\i -> os[i + 1]) (iota n)) (replicate n 1i64)
  let row = scan (+) 0 ends
  let wrong = map2 (\p x -> i64.bool (x != row[p] * 1000003 + p - os[row[p]])) (indices got) got
  in i64.sum wrong

entry rows [n][m] (os: [m]i64) (xs: [n]i64) : []i64 =
  map (\i -> i64.sum xs[os[i]:os[i + 1]]) (iota (m - 1))

entry gathered [n][m][k] (os: [m]i64) (at: [n]i64) (xs: [k]i64) : []i64 =
  map (\i -> i64.sum (map (\j -> xs[j]) at[os[i]:os[i + 1]])) (iota (m - 1))
