-- SPDX-License-Identifier: Apache-2.0
-- Products in loops that need only the number of the round are computed before the loop.

def dot [n] (a: [n]f64) (b: [n]f64) = f64.sum (map2 (*) a b)
def matmul [m] [n] [q] (a: [m][q]f64) (b: [n][q]f64) : [m][n]f64 = map (\x -> map (\y -> dot x y) b) a
def small (k: i64) : f64 = f64.i64 (k % 5) - 2
def cube (a: i64) (b: i64) (c: i64) = tabulate_3d a b c (\i j k -> small (i * 7 + j * 3 + k))
def table (a: i64) (b: i64) = tabulate_2d a b (\i j -> small (i * 3 + j))

-- Rows of all rounds are rows of one map.  No rounds, no rows, and sums of nothing.
-- ==
-- entry: forwards
-- input { 3i64 2i64 4i64 } output { [[-7.5f64, -1.25f64], [-4.25f64, -2.5f64]] }
-- input { 0i64 2i64 4i64 } output { [[0f64, 0f64], [0f64, 0f64]] }
-- input { 5i64 1i64 0i64 } output { [[0f64, 0f64]] }
-- input { 5i64 0i64 3i64 } output { empty([0][2]f64) }
entry forwards (t: i64) (b: i64) (d: i64) =
  let (xs, w) = (cube t b d, table 2 d)
  in loop s = replicate b (replicate 2 0) for i < t do
       map2 (map2 (\p q -> p + f64.i64 (i + 1) * q)) (map (map (/ 2)) s) (matmul xs[i] w)

-- The same by sums of its own, for comparison.
entry slowly (t: i64) (b: i64) (d: i64) =
  let (xs, w) = (cube t b d, table 2 d)
  in loop s = replicate b (replicate 2 0) for i < t do
       tabulate_2d b 2 (\r c -> s[r, c] / 2 + f64.i64 (i + 1) * (loop sum = 0 for k < d do sum + xs[i, r, k] * w[c, k]))

-- ==
-- entry: agree
-- input { 4i64 3i64 20i64 } output { true }
-- input { 7i64 5i64 33i64 } output { true }
entry agree (t: i64) (b: i64) (d: i64) =
  and (map2 (\p q -> and (map2 (==) p q)) (forwards t b d) (slowly t b d))

-- A row after that of the round, and what the round gives is changed in place.
-- ==
-- entry: neighbours
-- input { 4i64 3i64 } output { true }
-- input { 1i64 3i64 } output { true }
entry neighbours (t: i64) (d: i64) =
  let (xs, w) = (cube t 2 d, table 3 d)
  let run (product: [2][d]f64 -> [2][3]f64) =
    loop s = replicate 2 (replicate 3 1) for i < t - 1 do
      let y = copy (product (#[unsafe] xs[i + 1]))
      let y[0] = map2 (+) s[1] s[0]
      in map2 (map2 (\p q -> p / 2 + q)) s y
  let by_hand (x: [2][d]f64) = tabulate_2d 2 3 (\r c -> loop sum = 0 for k < d do sum + x[r, k] * w[c, k])
  in and (map2 (\p q -> and (map2 (==) p q)) (run (\x -> matmul x w)) (run by_hand))

-- What a round gives is the state of the next, and of the loop.
-- ==
-- entry: states
-- input { 3i64 20i64 } output { true }
-- input { 0i64 20i64 } output { true }
entry states (t: i64) (d: i64) =
  let (xs, w) = (cube t 2 d, table 3 d)
  let (s, sum) = loop (s, sum) = (table 2 3, 0) for i < t do
                   let sum = sum + f64.sum (flatten s)
                   in (matmul xs[i] w, sum)
  let (s', sum') = loop (s, sum) = (table 2 3, 0) for i < t do
                   let sum = sum + f64.sum (flatten s)
                   in (tabulate_2d 2 3 (\r c -> loop sum = 0 for k < d do sum + xs[i, r, k] * w[c, k]), sum)
  in sum == sum' && and (map2 (\p q -> and (map2 (==) p q)) s s')

-- A matrix of all rounds times a vector of each, in a loop around whose state is the matrix.
-- ==
-- entry: vectors
-- input { 3i64 4i64 20i64 } output { true }
-- input { 1i64 1i64 17i64 } output { true }
entry vectors (k: i64) (t: i64) (d: i64) =
  let xs = table t d
  let run (product: [4][d]f64 -> [d]f64 -> [4]f64) =
    loop w = table 4 d for _j < k do
      let s = loop s = replicate 4 0f64 for i < t do map2 (\p q -> p / 4 + q) s (product w xs[i])
      in map2 (\row p -> map (\x -> x + p) row) w s
  let by_hand (w: [4][d]f64) (x: [d]f64) = map (\row -> loop sum = 0 for k < d do sum + row[k] * x[k]) w
  in and (map2 (\p q -> and (map2 (\a b -> f64.abs (a - b) <= 1e-9 * (f64.abs a + 1)) p q))
               (run (\w x -> map (\row -> dot row x) w)) (run by_hand))
