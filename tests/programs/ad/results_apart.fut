-- SPDX-License-Identifier: Apache-2.0
-- A map that gives an array twice, or as it was, gives arrays of its own, which may be changed.
-- ==
-- entry: twice
-- input { [1f64, 2f64, 3f64] } output { [32f64, 22f64, 11f64] }
-- ==
-- entry: same
-- input { [1f64, 2f64, 3f64] } output { [2f64, 4f64, 0f64] }

entry twice [n] (xs: [n]f64) : [n]f64 =
  let f (xs: [n]f64) =
    let (a, b) = unzip (map (\x -> (x, x)) (scan (+) 0 xs))
    let c = copy a with [0] = 5
    in map2 (\x y -> x + 10 * y) c b |> f64.sum
  in vjp f xs 1

entry same [n] (xs: [n]f64) : [n]f64 =
  vjp (\xs -> let ys = map id xs with [n - 1] = 0 in f64.sum (map2 (*) ys xs)) xs 1
