-- SPDX-License-Identifier: Apache-2.0
-- Loops inside an iteration whose arrays need two buffers that change places in every round.

-- All lanes go around equally often.
-- ==
-- entry: smooth
-- input { [[1, 2, 3, 4], [4, 3, 2, 1], [0, 0, 8, 0], [5, 5, 5, 5], [1, 0, 0, 0]] 3i64 }
-- output { [[16, 15, 18, 15], [24, 25, 22, 25], [8, 24, 0, 24], [40, 40, 40, 40], [3, 4, 2, 4]] }
-- input { [[1, 2], [3, 4]] 0i64 } output { [[1, 2], [3, 4]] }
-- input { empty([0][3]i32) 2i64 } output { empty([0][3]i32) }
entry smooth [n] [m] (xss: [n][m]i32) (k: i64) : [n][m]i32 =
  map (\(xs: [m]i32) -> loop xs for _i < k do
                map (\j -> xs[i64.max 0 (j - 1)] + xs[i64.min (m - 1) (j + 1)] * i32.bool (j % 2 == 0)
                           + xs[(j + 1) % m] * i32.bool (j % 2 == 1))
                    (iota m))
      xss

-- Each lane as often as it likes.
-- ==
-- entry: own_rounds
-- input { [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]] [0i64, 1i64, 2i64, 5i64, 3i64] }
-- output { [[1, 2, 3], [3, 5, 4], [8, 9, 7], [64, 63, 65], [17, 16, 15]] }
entry own_rounds [n] [m] (xss: [n][m]i32) (ks: [n]i64) : [n][m]i32 =
  map2 (\(xs: [m]i32) k -> loop xs for _i < k do map (\j -> xs[j] + xs[(j + 1) % m]) (iota m)) xss ks

-- A branch that all lanes take alike, and one that they do not, choose between arrays.
-- ==
-- entry: chosen
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] true }
-- output { [11, 16, 35] }
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] false }
-- output { [14, 29, 44] }
entry chosen [n] (xss: [n][3]i32) (same: bool) : [n]i32 =
  map (\xs -> let ys = if same then map (\j -> xs[(j + 1) % 3]) (iota 3) else map (\j -> xs[2 - j]) (iota 3)
              let zs = if same && xs[0] % 2 == 0 then map (\j -> ys[2 - j] - 3) (iota 3) else map (+ 1) ys
              in loop acc = 0 for j < 3 do acc * i32.bool (j != 1 || !same) + zs[j] + ys[(j + 2) % 3] * i32.bool (j > 0))
      xss

-- The buffers of scans with operators on arrays.
-- ==
-- entry: products
-- input { [[[1, 2], [3, 4], [5, 6]], [[0, 1], [2, 2], [1, 1]]] } output { [[15, 48], [0, 2]] }
entry products [n] [m] [k] (xsss: [n][m][k]i32) : [n][k]i32 =
  #[sequential_inner]
  map (\xss -> last (scan (map2 (*)) (replicate k 1) xss)) xsss
