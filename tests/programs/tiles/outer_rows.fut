-- SPDX-License-Identifier: Apache-2.0
-- Products of many pairs of matrices whose number comes between rows and columns.

def xs (n: i64) (k: i64) (q: i64) : [n][k][q]i32 =
  tabulate_3d n k q (\i c j -> i32.i64 ((i * 7 + c * 5 + j * 3) % 11) - 5)
def ls (k: i64) (m: i64) (q: i64) : [k][m][q]i32 =
  tabulate_3d k m q (\c i j -> i32.i64 ((c * 3 + i * 5 + j * 7) % 13) - 6)

def product [n] [k] [m] [q] (a: [n][k][q]i32) (b: [k][m][q]i32) : [n][k][m]i32 =
  map (\rows -> map2 (\row l -> map (\column -> i32.sum (map2 (*) row column)) l) rows b) a

-- The same, one number at a time.
def plain [n] [k] [m] [q] (a: [n][k][q]i32) (b: [k][m][q]i32) : [n][k][m]i32 =
  let points = iota (n * k * m)
  let one p = let (i, c, j) = (p / (k * m), p / m % k, p % m)
              in loop s = 0 for t < q do s + #[unsafe] (a[i, c, t] * b[c, j, t])
  in unflatten_3d (map one points :> [n * k * m]i32)

-- ==
-- entry: agrees
-- input { [0i64, 1i64, 5i64, 40i64, 100i64, 33i64, 9i64] [3i64, 2i64, 1i64, 3i64, 5i64, 0i64, 300i64] [4i64, 9i64, 8i64, 32i64, 33i64, 8i64, 17i64]
--         [8i64, 8i64, 7i64, 32i64, 300i64, 9i64, 12i64] }
-- output { [true, true, true, true, true, true, true] }
entry agrees (ns: [7]i64) (ks: [7]i64) (ms: [7]i64) (qs: [7]i64) =
  loop ok = replicate 7 false for t < 7 do
    let (a, b) = (xs ns[t] ks[t] qs[t], ls ks[t] ms[t] qs[t])
    in ok with [t] = and (map2 (==) (flatten_3d (product a b)) (flatten_3d (plain a b)))

-- Small and large blocks, with an operand along the sum and one across it; k has many pieces.
-- ==
-- entry: shapes
-- input { [64i64, 7i64, 130i64, 3i64, 20i64] [128i64, 33i64, 40i64, 200i64, 9i64] [128i64, 600i64, 9i64, 257i64, 1000i64] }
-- output { [true, true, true, true, true] }
entry shapes (ns: [5]i64) (ms: [5]i64) (qs: [5]i64) =
  loop ok = replicate 5 false for t < 5 do
    let a = flatten (xs ns[t] 1 qs[t]) :> [ns[t]][qs[t]]i32
    let b = flatten (ls 1 ms[t] qs[t]) :> [ms[t]][qs[t]]i32
    let along = map (\row -> map (\column -> i32.sum (map2 (*) row column)) b) a
    let across = map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose (transpose b))) (transpose (copy (transpose a)))
    let plain = tabulate_2d ns[t] ms[t] (\i j -> loop s = 0 for c < qs[t] do s + #[unsafe] (a[i, c] * b[j, c]))
    in ok with [t] = and (map2 (==) (flatten along) (flatten plain)) && and (map2 (==) (flatten across) (flatten plain))

-- Values that are computed from what lies along the sum, and floats that must not be cut.
-- ==
-- entry: computed
-- input { 50i64 70i64 90i64 } output { true }
entry computed (n: i64) (m: i64) (q: i64) =
  let a = tabulate_2d n q (\i j -> f64.i64 ((i * 7 + j * 3) % 11) / 4)
  let b = tabulate_2d m q (\i j -> f64.i64 ((i * 5 + j) % 13) / 8)
  let sums = map (\x -> map (\y -> f64.sum (map2 (\u v -> (u + 1) * (v * v - 0.5)) x y)) b) a
  let plain = tabulate_2d n m (\i j -> loop s = 0 for c < q do s + #[unsafe] ((a[i, c] + 1) * (b[j, c] * b[j, c] - 0.5)))
  in and (map2 (\x y -> f64.abs (x - y) < 1e-9) (flatten sums) (flatten plain))
