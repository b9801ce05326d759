-- SPDX-License-Identifier: Apache-2.0
-- Angles between points on a sphere: for each of m random sets a histogram of 22 bins over all pairs of it (rr), and one over the pairs of
-- a point of it and one of the observed set (dr).  Bins are those whose bound, a cosine, is the first that a pair exceeds.
-- ==
-- entry: tpacf
-- input { [[0f32, 0f32, 1f32], [1f32, 0f32, 0f32]] [[[0f32, 0f32, 1f32], [0f32, 1f32, 0f32]]] }
-- output { [[0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 1i32]]
--          [[1i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 3i32]] }
import "hash"

def bins : i64 = 22
-- Bin k > 0 begins at 10^(k/5 - 2) minutes of arc, which is 1 to 10^2.2.
def bounds : [bins - 1]f32 =
  tabulate (bins - 1) (\k -> f32.cos (f32.pi / 10800 * 10 ** (f32.i64 k / 5 - 2)))

def bin_of (p: [3]f32) (q: [3]f32) : i64 =
  let c = p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
  let (low, _) =
    loop (low, high) = (0, bins - 1) while low < high do
      let middle = (low + high) / 2
      in if c >= bounds[middle] then (low, middle) else (middle + 1, high)
  in low

-- Pairs of a set have i < j.
def own_pairs [n] (set: [n][3]f32) : [bins]i32 =
  hist (+) 0 bins (flatten (tabulate_2d n n (\i j -> if i < j then bin_of set[i] set[j] else -1))) (replicate (n * n) 1)
def pairs [n] (a: [n][3]f32) (b: [n][3]f32) : [bins]i32 =
  hist (+) 0 bins (flatten (tabulate_2d n n (\i j -> bin_of a[i] b[j]))) (replicate (n * n) 1)

entry tpacf [n] [m] (observed: [n][3]f32) (random: [m][n][3]f32) : ([m][bins]i32, [m][bins]i32) =
  (map own_pairs random, map (pairs observed) random)

-- ---- data

def on_sphere (seed: u32) : [3]f32 =
  let (z, turn) = (2 * share (2 * seed) - 1, 2 * f32.pi * share (2 * seed + 1))
  let r = f32.sqrt (1 - z * z)
  in [r * f32.cos turn, r * f32.sin turn, z]
entry make_set (n: i64) : [n][3]f32 = tabulate n (\i -> on_sphere (u32.i64 i))
entry make_sets (m: i64) (n: i64) : [m][n][3]f32 = tabulate_2d m n (\s i -> on_sphere (u32.i64 ((s + 1) * n + i)))
