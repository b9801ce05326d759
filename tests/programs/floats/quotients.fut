-- SPDX-License-Identifier: Apache-2.0
-- Several quotients in a row are those of the operator, also of zeros, infinities and the smallest numbers, on devices
-- that compute all of them without branches first.  0: all bits are the same.
-- ==
-- entry: rows
-- compiled input { 100000i64 } output { 0i64 }

-- ==
-- entry: values
-- input { [1f64, -0f64, 0f64, 1e-310f64, 1e308f64, f64.inf, -3f64, 5e-324f64, 1e300f64] [3f64, 7f64, -2f64, 3f64, 1e-5f64, 2f64, f64.inf, 2f64, 1e-200f64] }
-- output { [0.3333333333333333f64, -0f64, -0f64, 3.3333333333333e-311f64, f64.inf, f64.inf, -0f64, 0f64, f64.inf] }

-- Two quotients that depend on each other; the second one gives back what went in, nearly.
entry values [n] (xs: [n]f64) (ys: [n]f64) : [n]f64 =
  map2 (\x y -> let q = x / y let r = (q + q) / y in if r == r then q else q) xs ys

local def number (k: i64) : f64 =
  let bits = u64.i64 k * 0x9e3779b97f4a7c15
  let kind = k % 13
  in if kind == 0 then 0 else if kind == 1 then -0 else if kind == 2 then f64.inf
     else if kind == 3 then f64.from_bits (bits % 0x10000000000000)
     else if kind == 4 then f64.from_bits bits
     else f64.i64 (k % 1000) * 0.37 - 100

-- In one row of statements, and each by itself in a loop of one round.
entry rows (n: i64) : i64 =
  let same (x: f64) (y: f64) = f64.to_bits x == f64.to_bits y || (f64.isnan x && f64.isnan y)
  let differs (k: i64) =
    let (a, b, c, d) = (number k, number (k * 7 + 3), number (k * 31 + 11), number (k * 5 + 1))
    let (p, q, r, s) = (a / b, c / b, d / c, a / d)
    let t = (p + q) / (r + 2)
    let alone x y = let (z, _) = loop (z, i) = (x, 0) while i < k - k + 1 do (z / y, i + 1) in z
    let (p', q', r', s') = (alone a b, alone c b, alone d c, alone a d)
    let t' = alone (p' + q') (r' + 2)
    in !(same p p' && same q q' && same r r' && same s s' && same t t')
  in tabulate n (differs >-> i64.bool) |> i64.sum
