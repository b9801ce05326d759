-- SPDX-License-Identifier: Apache-2.0
-- Checks that belong to a row, in nests of which every level should be parallel: made wherever there are points, and only there.
-- ==
-- entry: divided
-- input { [2, 3] [[4, 6], [9, 3]] } output { [[15, 16], [19, 17]] }
-- input { [2, 0] [[4, 6], [9, 3]] } error: division by zero
-- input { [2, 0] [empty([0]i32), empty([0]i32)] } output { [empty([0]i32), empty([0]i32)] }
-- input { empty([0]i32) empty([0][3]i32) } output { empty([0][3]i32) }
-- ==
-- entry: looped
-- input { [[1, 2], [3, 1]] [[4, 6], [9, 3]] } output { [[22, 23], [19, 17]] }
-- input { [[1, 2], [3, 0]] [[4, 6], [9, 3]] } error: division by zero
-- input { [[1, 2], [3, 0]] [empty([0]i32), empty([0]i32)] } output { [empty([0]i32), empty([0]i32)] }
-- ==
-- entry: deeper
-- input { [2, 3] [[[4, 6]], [[9, 3]]] } output { [[[12, 13]], [[15, 13]]] }
-- input { [2, 0] [[[4, 6]], [[9, 3]]] } error: division by zero
-- input { [0] [[empty([0]i32), empty([0]i32)]] } output { [[empty([0]i32), empty([0]i32)]] }

entry divided [n][m] (ks: [n]i32) (xss: [n][m]i32) : [n][m]i32 =
  map2 (\k xs ->
          let s = i32.sum xs
          let ys = map (\x -> x / k + s - 4) xs
          in map (+ (i32.sum ys - s)) ys)
       ks xss

entry looped [n][m] (kss: [n][2]i32) (xss: [n][m]i32) : [n][m]i32 =
  map2 (\ks xs ->
          loop xs for i < 2 do
            let k = ks[i]
            let ys = map (/ k) xs
            in map (+ i32.sum ys) ys)
       kss xss

entry deeper [n][m][l] (ks: [n]i32) (xsss: [n][m][l]i32) : [n][m][l]i32 =
  map2 (\k xss ->
          let s = i32.sum (map i32.sum xss)
          in map (map (\x -> x / k + s)) xss)
       ks xsss
