-- SPDX-License-Identifier: Apache-2.0
-- Maps over bodies with several parallel statements: few rows run as several perfect nests, many rows as
-- they are written.

-- ==
-- entry: normalise
-- input { [[3i32, 1i32], [2i32, 2i32]] } output { [[75i32, 25i32], [50i32, 50i32]] }
-- input { empty([0][3]i32) } output { empty([0][3]i32) }
-- input { empty([3][0]i32) } output { empty([3][0]i32) }
-- random input { [5][1000]i32 } auto output
-- random input { [200][30]i32 } auto output
entry normalise [n] [m] (xss: [n][m]i32) : [n][m]i32 =
  map (\row ->
         let s = reduce (+) 0 row
         let t = if s == 0 then 1 else s
         in map (\x -> x * 100 / t) row)
      xss

-- Three levels, and results of different ranks.
-- ==
-- entry: deep
-- input { [[[1i64, 2i64], [3i64, 4i64]], [[5i64, 6i64], [7i64, 8i64]]] }
-- output { [10i64, 26i64] [[3i64, 7i64], [11i64, 15i64]] [[[1i64, 3i64], [4i64, 8i64]], [[5i64, 11i64], [8i64, 16i64]]] [7i64, 7i64] }
entry deep [n] [m] [k] (xsss: [n][m][k]i64) =
  unzip4 (map (\xss ->
    let sums = map (reduce (+) 0) xss
    let total = reduce (+) 0 sums
    let before = map2 (-) (scan (+) 0 sums) sums
    let scans = map2 (\xs b -> scan (+) 0 (map id xs) |> map (+ (if b == 0 then 0 else 1))) xss before
    in (total, sums, scans, 7i64)) xsss)

-- A loop with a common bound.
-- ==
-- entry: iterate
-- input { 2i64 [[1i32, 2i32], [3i32, 4i32]] } output { [[1i32, 4i32], [3i32, 10i32]] [4i32, 10i32] }
-- input { 0i64 [[1i32, 2i32], [3i32, 4i32]] } output { [[1i32, 2i32], [3i32, 4i32]] [0i32, 0i32] }
-- random input { 3i64 [100][10]i32 } auto output
entry iterate [n] [m] (k: i64) (xss: [n][m]i32) : ([n][m]i32, [n]i32) =
  unzip (map (\row -> loop (r, c) = (row, 0) for i < k do
                        let sums = scan (+) 0 r
                        let most = reduce i32.max i32.lowest r
                        in (map (+ i32.i64 i) sums |> map (\x -> x - i32.i64 i), c + most - (if i == 1 then 1 else 0)))
             xss)

-- A row updated in place inside a loop.
-- ==
-- entry: in_place
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[3i32, 6i32], [7i32, 14i32]] }
entry in_place [n] [m] (xss: [n][m]i32) : [n][m]i32 =
  map (\row ->
         loop (r: *[m]i32) = copy row for _i < 1i32 do
           let s = reduce (+) 0 r
           let r[0] = s
           in tabulate m (\j -> r[0] * (i32.i64 j + 1)))
      xss

-- Conditions that are the same for all rows, and conditions that differ.
-- ==
-- entry: branches
-- input { true [[1i32, 2i32], [-3i32, 4i32], [-5i32, 6i32]] } output { [[1i32, 3i32], [-6i32, 8i32], [-10i32, 12i32]] }
-- input { false [[1i32, 2i32], [-3i32, 4i32], [-5i32, 6i32]] } output { [[2i32, 1i32], [4i32, -3i32], [6i32, -5i32]] }
-- input { true [[1i32, 2i32]] } output { [[1i32, 3i32]] }
-- input { true empty([0][2]i32) } output { empty([0][2]i32) }
entry branches [n] [m] (c: bool) (xss: [n][m]i32) : [n][m]i32 =
  map (\row ->
         if c then (if row[0] > 0 then scan (+) 0 row else map (* 2) row)
         else reverse (map (+ 0) row))
      xss

-- A check inside a distributed nest still fails, with its message.
-- ==
-- entry: checked
-- input { [[1i32, 2i32], [3i32, 4i32]] [0i64, 1i64] } output { [[5i32, 6i32], [14i32, 15i32]] }
-- input { [[1i32, 2i32], [3i32, 4i32]] [0i64, 2i64] } error: out of bounds
entry checked [n] [m] (xss: [n][m]i32) (is: [n]i64) : [n][m]i32 =
  map2 (\row i -> let s = reduce (+) 0 row
                  let x = row[i]
                  in map (+ (s + x)) row)
       xss is
