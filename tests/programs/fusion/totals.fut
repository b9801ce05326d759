-- SPDX-License-Identifier: Apache-2.0
-- Totals that only kernels need, and others.
-- ==
-- entry: norm
-- input { [3f64, 4f64] } output { [0.6f64, 0.8f64] }
-- input { empty([0]f64) } output { empty([0]f64) }
entry norm [n] (xs: [n]f64) : [n]f64 =
  let s = f64.sqrt (f64.sum (map (\x -> x * x) xs))
  in map (/ s) xs

-- The host wants one of them too.
-- ==
-- entry: centred
-- input { [1f64, 2f64, 6f64] } output { 3f64 [-2f64, -1f64, 3f64] }
entry centred [n] (xs: [n]f64) : (f64, [n]f64) =
  let m = f64.sum xs / f64.i64 n
  in (m, map (\x -> x - m) xs)

-- Several totals of one kernel, beside an array and a scatter.
-- ==
-- entry: several
-- input { [5i32, 1i32, 4i32] } output { [3i64, 3i64, 3i64] [9i32, 1i32, 8i32] [0i32, 4i32, 1i32, 5i32] }
entry several [n] (xs: [n]i32) =
  let least = i32.minimum xs
  let most = i32.maximum xs
  let places = scatter (replicate (n + 1) 0) (map (\i -> n - i) (iota n)) xs
  let count = i64.sum (map (\x -> i64.bool (x >= 0)) xs)
  in (map (\x -> count + i64.i32 (x - x)) xs,
      map (\x -> if x == least then least else x - least + most) xs,
      places)

-- Much scalar code: it runs once.
-- ==
-- entry: long
-- input { [1i64, 2i64, 3i64] } output { [816i64, 817i64, 818i64] }
-- input { [7i64] } output { [984i64] }
entry long [n] (xs: [n]i64) : [n]i64 =
  let s = i64.sum xs
  let a = s * 3 + 1
  let b = a * a - s
  let c = b ^ (a << 1)
  let d = c % 1000 + b * 2
  let e = d + a * b - c / 7
  let f = e % 997 + s * 10
  in map (+ f) xs

-- In loops and branches.
-- ==
-- entry: rounds
-- input { 3i64 [1f64, 2f64, 3f64] } output { [-1f64, 0f64, 1f64] }
-- input { 4i64 [8f64] } output { [1f64] }
entry rounds [n] (k: i64) (xs: [n]f64) : [n]f64 =
  loop xs for i < k do
    let m = f64.sum xs / f64.i64 n
    in if i % 2 == 0
       then map (\x -> x - m) xs
       else map (\x -> x + m - m) (map (\x -> if m == 0 && n == 1 then 1 else x) xs)

-- A total after a total.
-- ==
-- entry: deviation
-- input { [2f64, 4f64, 4f64, 4f64, 5f64, 5f64, 7f64, 9f64] }
-- output { [-1.5f64, -0.5f64, -0.5f64, -0.5f64, 0f64, 0f64, 1f64, 2f64] }
entry deviation [n] (xs: [n]f64) : [n]f64 =
  let m = f64.sum xs / f64.i64 n
  let v = f64.sum (map (\x -> (x - m) * (x - m)) xs) / f64.i64 n
  let d = f64.sqrt v
  in map (\x -> (x - m) / d) xs

-- Needed for a size, a condition, a check and a neutral element.
-- ==
-- entry: host
-- input { [1i64, 2i64] } output { [1i64, 2i64, 3i64] 5i64 4i64 }
-- input { [1i64, -1i64] } error: Index
entry host [n] (xs: [n]i64) =
  let s = i64.sum xs
  let ys = map (+ 1) (iota s)
  in (ys, if s > 2 then i64.sum ys - 1 else i64.product ys, ys[s - 1] + reduce i64.max s xs - 2)

-- A failing check in what comes after.
-- ==
-- entry: checked
-- input { [1i64, 2i64] [10i64, 20i64, 30i64, 40i64] } output { [40i64, 40i64] }
-- input { [1i64, 4i64] [10i64, 20i64, 30i64, 40i64] } error: Index
entry checked [n] [m] (xs: [n]i64) (ys: [m]i64) : [n]i64 =
  let s = i64.sum xs
  in map (\x -> ys[x * 0 + s]) xs

-- Several histograms in one pass, beside a map.
-- ==
-- entry: bins
-- input { 8i64 } output { true true true }
-- input { 1000000i64 } output { true true true }
entry bins (n: i64) =
  let is = map (% 7) (iota n)
  let counts = hist (+) 0 7 is (replicate n 1i32)
  let most = hist i64.max i64.lowest 7 is (iota n)
  let doubled = map (* 2) (iota n)
  in (i32.sum counts == i32.i64 n,
      all (\i -> most[i] == (n - 1 - i) / 7 * 7 + i) (iota 7) ,
      i64.sum (map2 (\d i -> d - 2 * i) doubled (iota n)) == 0)
