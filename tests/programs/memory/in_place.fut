-- SPDX-License-Identifier: Apache-2.0
-- Arrays are built where they would be copied to.
-- ==
-- entry: parts
-- input { [1, 2, 3] } output { [2, 3, 4, 2, 4, 6, 0, 1, 2] }
-- input { empty([0]i32) } output { [0, 1, 2] }
entry parts [n] (xs: [n]i32) = map (+ 1) xs ++ map (* 2) xs ++ map i32.i64 (iota 3)

-- ==
-- entry: one_in_the_middle
-- input { [1, 2, 3] [7, 8] } output { [2, 3, 4, 7, 8, 1, 3, 6] }
entry one_in_the_middle [n] (xs: [n]i32) (ys: []i32) = map (+ 1) xs ++ ys ++ scan (+) 0 xs

-- A part that is used afterwards keeps its own memory.
-- ==
-- entry: used_later
-- input { [1, 2, 3] } output { [9, 3, 4, 9] [2, 3, 4] }
entry used_later [n] (xs: [n]i32) =
  let as = map (+ 1) xs
  let bs = as ++ [9]
  in (bs with [0] = 9, as)

-- The same part twice.
-- ==
-- entry: twice
-- input { [1, 2, 3] } output { [1, 3, 6, 1, 3, 6] }
entry twice [n] (xs: [n]i32) = let as = scan (+) 0 xs in as ++ as

-- ==
-- entry: columns
-- input { [[1, 2], [3, 4]] [[5], [6]] } output { [[2, 3, 5], [4, 5, 6]] }
entry columns [n] [m] [k] (xss: [n][m]i32) (yss: [n][k]i32) =
  transpose (transpose (map (map (+ 1)) xss) ++ transpose yss)

-- ==
-- entry: rows
-- input { [1, 2, 3] } output { [[2, 3, 4], [1, 3, 6], [1, 2, 3]] }
entry rows [n] (xs: [n]i32) = [map (+ 1) xs, scan (+) 0 xs, xs]

-- ==
-- entry: row_update
-- input { [[1, 2], [3, 4], [5, 6]] 1i64 [10, 20] } output { [[1, 2], [11, 21], [5, 6]] }
-- input { [[1, 2], [3, 4], [5, 6]] 3i64 [10, 20] } error: out of bounds
entry row_update [n] [m] (xss: *[n][m]i32) (i: i64) (v: [m]i32) = xss with [i] = map (+ 1) v

-- ==
-- entry: column_update
-- input { [[1, 2], [3, 4], [5, 6]] 1i64 [10, 20, 30] } output { [[1, 11], [3, 21], [5, 31]] }
entry column_update [n] [m] (xss: *[n][m]i32) (i: i64) (v: [n]i32) = xss with [:, i] = map (+ 1) v

-- The value reads what it replaces.
-- ==
-- entry: reads_itself
-- input { [1, 2, 3, 4] } output { [1, 4, 3, 2] }
entry reads_itself [n] (xs: *[n]i32) =
  let v = map (\i -> xs[n - i]) (1..<n)
  in xs with [1:] = v

-- Something reads the place between the making of the value and the update.
-- ==
-- entry: read_between
-- input { [1, 2, 3, 4] } output { [13, 14, 3, 4] 3 }
entry read_between [n] (xs: *[n]i32) =
  let v = map (+ 10) xs[2:4]
  let s = xs[0] + xs[1]
  in (xs with [0:2] = v, s)

-- ==
-- entry: branch
-- input { [[1, 2], [3, 4]] 0i64 [10, 20] } output { [[10, 20], [3, 4]] }
-- input { [[1, 2], [3, 4]] 1i64 [10, 20] } output { [[1, 2], [10, 30]] }
entry branch [n] [m] (xss: *[n][m]i32) (i: i64) (v: [m]i32) =
  xss with [i] = if i > 0 then scan (+) 0 v else v

-- ==
-- entry: backwards
-- input { [1, 2, 3, 4, 5] } output { [1, 6, 3, 4, 5, 50, 3, 30, 1] }
entry backwards [n] (xs: [n]i32) =
  let as = copy xs with [1] = 6
  let bs = copy (reverse xs)[:4] with [0] = 50
  in as ++ (bs with [2] = 30) with [8] = 1 with [6] = 3

-- Rows of kernels' results.
-- ==
-- entry: filled
-- input { 3i64 [[1, 2, 3, 4], [5, 6, 7, 8]] } output { [[2, 3, 4, 4], [6, 7, 8, 8]] [[4, 4, 3, 2], [8, 8, 7, 6]] }
entry filled [n] [m] (k: i64) (xss: [n][m]i32) =
  unzip (map (\xs ->
                let ys = #[sequential] loop ys = copy xs for i < k do ys with [i] = ys[i] + 1
                in (ys, if n > 100 then xs else reverse ys)) xss)

-- ==
-- entry: growing
-- input { 3 [1, 2] } output { [1, 2, 2, 4, 2, 4, 4, 8, 2, 4, 4, 8, 4, 8, 8, 16] }
entry growing (k: i32) (xs: []i32) =
  loop ys = xs for _i < k do ys ++ map (* 2) ys
