-- SPDX-License-Identifier: Apache-2.0
-- Transpositions of each row of an array: large ones are copied as one, in squares; tiny ones by
-- their point.
-- ==
-- entry: each
-- input { 3i64 40i64 30i64 } output { true }
-- input { 3i64 2i64 3i64 } output { true }
-- input { 0i64 40i64 30i64 } output { true }
-- input { 2i64 0i64 30i64 } output { true }
-- input { 2i64 300i64 0i64 } output { true }
-- input { 1i64 1i64 300i64 } output { true }
-- input { 70i64 65i64 129i64 } output { true }
-- ==
-- entry: grid
-- input { 3i64 2i64 40i64 30i64 } output { true }
-- input { 2i64 3i64 4i64 5i64 } output { true }
-- ==
-- entry: deeper
-- input { 3i64 7i64 40i64 30i64 } output { true }
-- input { 3i64 2i64 4i64 3i64 } output { true }
-- ==
-- entry: part
-- input { 5i64 40i64 30i64 } output { true }
-- ==
-- entry: rounds
-- input { 3i64 24i64 3i32 } output { true }
-- input { 3i64 24i64 4i32 } output { true }
-- input { 3i64 4i64 3i32 } output { true }

def numbered (k: i64) (n: i64) (m: i64) : [k][n][m]i32 =
  tabulate_3d k n m (\a b c -> i32.i64 ((a * n + b) * m + c))

def same [k] (xs: [k]i32) (ys: [k]i32) : bool = and (map2 (==) xs ys)

entry each (k: i64) (n: i64) (m: i64) : bool =
  let xss = opaque (numbered k n m)
  let yss = opaque (map transpose xss)
  in same (flatten_3d yss) (flatten_3d (tabulate_3d k m n (\a c b -> xss[a, b, c])))

entry grid (j: i64) (k: i64) (n: i64) (m: i64) : bool =
  let xss = opaque (unflatten (numbered (j * k) n m))
  let yss = opaque (map (map transpose) xss)
  let zss = tabulate_3d j k m (\a b d -> tabulate n (\c -> xss[a, b, c, d]))
  in same (flatten_4d yss) (flatten_4d zss)

-- The whole matrix of matrices is turned, and not its last two dimensions.
entry deeper (k: i64) (j: i64) (n: i64) (m: i64) : bool =
  let xss = opaque (unflatten (numbered (k * j) n m))
  let yss = opaque (map (\x -> transpose (map transpose x)) xss)
  let zss = tabulate_3d k m j (\a d b -> tabulate n (\c -> xss[a, b, c, d]))
  in same (flatten_4d yss) (flatten_4d zss)

-- Of rows, of which each gives a part.
entry part (k: i64) (n: i64) (m: i64) : bool =
  let xss = opaque (numbered k n m)
  let yss = opaque (map (\x -> transpose x[2:, 1:m - 1]) xss[1:])
  let zss = map (\a -> map (\c -> map (\b -> xss[a, b, c]) (2..<n)) (1..<m - 1)) (1..<k)
  in and (map2 (\y z -> same (flatten y) (flatten (z :> [m - 2][n - 2]i32)))
               (yss :> [k - 1][m - 2][n - 2]i32) (zss :> [k - 1][m - 2][n - 2]i32))

-- In every round, from one of two buffers into the other.
entry rounds (k: i64) (n: i64) (r: i32) : bool =
  let xss = opaque (numbered k n n)
  let yss = loop yss = xss for _i < r do map transpose yss
  let zss = if r % 2 == 0 then xss else tabulate_3d k n n (\a c b -> xss[a, b, c])
  in same (flatten_3d yss) (flatten_3d zss)
