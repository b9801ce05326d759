-- SPDX-License-Identifier: Apache-2.0
-- Points that all go through the same values, many of both and no multiples of anything.

def some (n: i64) : [n]i32 = tabulate n (\i -> i32.i64 ((i * 7919 + 13) % 1009))

-- The sum over j of (x_i - y_j)² is n x_i² - 2 x_i Σ y + Σ y².
-- ==
-- entry: squares
-- compiled input { 40000i64 300i64 } output { true }
-- compiled input { 33000i64 256i64 } output { true }
-- input { 33000i64 65i64 } output { true }
-- input { 1000i64 300i64 } output { true }
-- input { 40000i64 0i64 } output { true }
entry squares (n: i64) (m: i64) : bool =
  let (xs, ys) = (some n, map (* 3) (some m))
  let all = map (\x -> i32.sum (map (\y -> (x - y) * (x - y)) ys)) xs
  in and (map2 (\x s -> s == i32.i64 m * x * x - 2 * x * i32.sum ys + i32.sum (map (\y -> y * y) ys)) xs all)

-- Several results, two arrays, and work after the sums.
-- ==
-- entry: pairs
-- compiled input { 35000i64 290i64 } output { true }
-- input { 33000i64 40i64 } output { true }
entry pairs (n: i64) (m: i64) : bool =
  let (xs, ys, zs) = (some n, some m, map (+ 5) (some m))
  let all = map (\x -> let (s, t) = reduce_comm (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (map2 (\y z -> (x * y, x - z)) ys zs)
                       in (s + x, t)) xs
  in and (map2 (\x (s, t) -> s == x * (i32.sum ys + 1) && t == i32.i64 m * x - i32.sum zs) xs all)

-- In order: every step uses the one before, and the number of the step.
-- ==
-- entry: in_order
-- input { 33000i64 70i64 } output { true }
entry in_order (n: i64) (m: i64) : bool =
  let (xs, ys) = (some n, some m)
  let all = map (\x -> loop s = x for k < m do (s * 3 + ys[k] + i32.i64 k) % 10007) xs
  let seven = loop s = xs[7] for k < m do (s * 3 + ys[k] + i32.i64 k) % 10007
  in all[7] == seven && and (map (\i -> all[i] == all[i + 1009]) (iota (n - 1009)))
