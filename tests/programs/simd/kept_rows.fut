-- SPDX-License-Identifier: Apache-2.0
-- Points that go through rows of their own, one element after another.  Lanes keep the rows of
-- neighbouring points, transposed.
-- ==
-- entry: recurrence backwards strided many_types ranks in_place nested branches variances
-- input { 0i64 5i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 15i64 9i64 } output { true }
-- input { 16i64 0i64 } output { true }
-- input { 16i64 1i64 } output { true }
-- input { 17i64 3i64 } output { true }
-- input { 33i64 16i64 } output { true }
-- input { 64i64 17i64 } output { true }
-- input { 33i64 70i64 } output { true }
-- input { 16i64 2100i64 } output { true }

def number (i: i64) (j: i64) : f32 = f32.i64 ((i * 31 + j * 17) % 23) / 8 + 1

def matrix n m : [n][m]f32 = tabulate_2d n m number

-- The same, computed for one row at a time from scalars alone.
def all_equal [n][m] (xss: [n][m]f32) (row: i64 -> [m]f32) : bool =
  and (map2 (\i xs -> and (map2 (==) xs (row i))) (iota n) xss)

entry recurrence (n: i64) (m: i64) =
  let xss = opaque (matrix n m)
  let made =
    map (\xs ->
           loop ys = replicate m 0 for j < m do
             let before = if j == 0 then 1 else ys[j - 1]
             in ys with [j] = (xs[j] + before) / (xs[m - 1 - j] + 2))
        xss
  let row i =
    (loop (ys, before) = (replicate m 0, 1) for j < m do
       let y = (number i j + before) / (number i (m - 1 - j) + 2)
       in (ys with [j] = y, y)).0
  in all_equal made row

-- The result is built from its end, in memory of the point, and handed out in reverse.
entry backwards (n: i64) (m: i64) =
  let xss = opaque (matrix n m)
  let made =
    map (\xs ->
           let ys =
             loop ys = replicate m 0 for k < m do
               let j = m - 1 - k
               in ys with [j] = xs[j] / (if k == 0 then 3 else ys[j + 1] + 1)
           in reverse ys)
        xss
  let row i =
    (loop (ys, after) = (replicate m 0, 2f32) for k < m do
       let y = number i (m - 1 - k) / (after + 1)
       in (ys with [k] = y, y)).0
  in all_equal made row

-- Every second element of rows that belong to a larger array.
entry strided (n: i64) (m: i64) =
  let xss = opaque (matrix n (2 * m))
  let made =
    map (\xs ->
           loop ys = replicate m 0 for j < m do
             ys with [j] = xs[2 * j] * 0.5 + (if j == 0 then 0 else ys[j - 1] * 0.25))
        xss
  let row i =
    (loop (ys, before) = (replicate m 0, 0) for j < m do
       let y = number i (2 * j) * 0.5 + before * 0.25
       in (ys with [j] = y, y)).0
  in all_equal made row

-- Elements of one to eight bytes.
entry many_types (n: i64) (m: i64) =
  let bytes = opaque (tabulate_2d n m (\i j -> u8.i64 (i * 7 + j * 3)))
  let shorts = opaque (tabulate_2d n m (\i j -> i16.i64 (i * 5 - j)))
  let longs = opaque (tabulate_2d n m (\i j -> i * j - 3))
  let doubles = opaque (tabulate_2d n m (\i j -> f64.i64 (i + j) / 4))
  let made =
    map4 (\bs ss ls ds ->
            loop (cs, sum) = (replicate m 0i64, 0i64) for j < m do
              let sum = (sum * 3 + i64.u8 bs[j] + i64.i16 ss[j] - ls[j] + i64.f64 (ds[j] * 4)) % 1000003
              in (cs with [j] = sum, sum))
         bytes shorts longs doubles
    |> map (.0)
  let row i =
    (loop (cs, sum) = (replicate m 0i64, 0i64) for j < m do
       let sum = (sum * 3 + i64.u8 (u8.i64 (i * 7 + j * 3)) + i64.i16 (i16.i64 (i * 5 - j)) - (i * j - 3) + (i + j)) % 1000003
       in (cs with [j] = sum, sum)).0
  in and (map2 (\i xs -> and (map2 (==) xs (row i))) (iota n) made)

-- A nest, and rows of two dimensions.
entry ranks (n: i64) (m: i64) =
  let xsss = opaque (tabulate_3d 3 n m (\h i j -> number (h + i) j))
  let pairs = opaque (tabulate_3d n m 2 (\i j k -> number (i + k) j))
  let made =
    map (map (\xs ->
                loop ys = replicate m 0 for j < m do
                  ys with [j] = xs[j] / (if j == 0 then 2 else ys[j - 1] + 2)))
        xsss
  let sums =
    map (\ps ->
           loop ys = replicate m 0 for j < m do
             ys with [j] = ps[j, 0] - ps[j, 1] * (if j == 0 then 1 else ys[j - 1] / 16))
        pairs
  let row h i =
    (loop (ys, before) = (replicate m 0, 0) for j < m do
       let y = number (h + i) j / (before + 2)
       in (ys with [j] = y, y)).0
  let pair_row i =
    (loop (ys, before) = (replicate m 0, 16) for j < m do
       let y = number i j - number (i + 1) j * (before / 16)
       in (ys with [j] = y, y)).0
  in and (map2 (\h xss -> all_equal xss (row h)) (iota 3) made) && all_equal sums pair_row

-- Rows that are changed where they are, and some that stay.
entry in_place (n: i64) (m: i64) =
  let made =
    loop xss = opaque (matrix n m) for k < 3i64 do
      map2 (\i xs ->
              if i % 3 == k then copy xs
              else loop ys = replicate m 0 for j < m do
                     ys with [j] = xs[j] / (if j == 0 then 2 else ys[j - 1] + 2))
           (iota n) xss
  let step [l] (xs: [l]f32) : [l]f32 =
    (loop (ys, before) = (replicate l 0, 0) for j < l do
       let y = xs[j] / (before + 2)
       in (ys with [j] = y, y)).0
  let row i = loop xs = tabulate m (number i) for k < 3i64 do if i % 3 == k then xs else step xs
  in all_equal made row

-- Loops in loops; the inner one is of another length in every point.
entry nested (n: i64) (m: i64) =
  let xss = opaque (matrix n m)
  let made =
    map2 (\i xs ->
            loop ys = replicate m 0 for j < i64.min m 40 do
              let s = loop s = 0 for k < i64.min j (i % 7) do s + xs[j - k - 1]
              in ys with [j] = s * 0.125 + xs[j])
         (iota n) xss
  let row i =
    loop ys = replicate m 0 for j < i64.min m 40 do
      let s = loop s = 0 for k < i64.min j (i % 7) do s + number i (j - k - 1)
      in ys with [j] = s * 0.125 + number i j
  in all_equal made row

-- Points that do not all go the same way.
entry branches (n: i64) (m: i64) =
  let xss = opaque (matrix n m)
  let made =
    map2 (\i xs ->
            if i % 2 == 0
            then loop ys = replicate m 0 for j < m do
                   ys with [j] = if xs[j] > 2 then xs[j] else if j == 0 then 1 else ys[j - 1] / 2
            else replicate m (f32.i64 i))
         (iota n) xss
  let row i =
    if i % 2 == 0
    then (loop (ys, before) = (replicate m 0, 2) for j < m do
            let y = if number i j > 2 then number i j else before / 2
            in (ys with [j] = y, y)).0
    else replicate m (f32.i64 i)
  in all_equal made row

-- Sums over a row, one after the other: short rows are kept, long ones fill vectors themselves.
entry variances (n: i64) (m: i64) =
  let xss = opaque (tabulate_2d n m (\i j -> (i * 31 + j * 17) % 23))
  let made =
    map (\xs ->
           let mean = i64.sum xs / i64.max 1 m
           in i64.sum (map (\x -> (x - mean) * (x - mean)) xs))
        xss
  let one i =
    let row = tabulate m (\j -> (i * 31 + j * 17) % 23)
    let mean = (loop s = 0 for j < m do s + row[j]) / i64.max 1 m
    in loop s = 0 for j < m do s + (row[j] - mean) * (row[j] - mean)
  in and (map2 (==) made (map one (iota n)))
