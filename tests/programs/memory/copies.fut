-- SPDX-License-Identifier: Apache-2.0
-- Loops that change a copy of what they were given.
-- ==
-- entry: changed
-- input { 3i64 [[1, 2, 3], [4, 5, 6], [7, 8, 9]] } output { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] [[5, 7, 9], [11, 13, 15], [12, 15, 18]] }
-- input { 0i64 [[1, 2, 3], [4, 5, 6], [7, 8, 9]] } output { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] [[1, 2, 3], [4, 5, 6], [7, 8, 9]] }

-- The initial value is used afterwards.
entry changed [n] [m] (k: i64) (xss: [n][m]i32) : ([n][m]i32, [n][m]i32) =
  let yss = loop yss = xss for i < k do copy yss with [i] = map2 (+) yss[i] yss[(i + 1) % n]
  in (xss, yss)

-- ==
-- entry: old_and_new
-- input { 3i64 [1, 2, 3] } output { [0, 0, 0] [0, 0, 3] }

-- The old value is handed on, too.
entry old_and_new [n] (k: i64) (xs: [n]i32) : ([n]i32, [n]i32) =
  loop (ys, zs) = (xs, xs) for i < k do (copy ys with [i] = 0, ys)

-- ==
-- entry: looked_at
-- input { 2i64 [1, 2, 3] } output { [22, 10, 3] }

-- The old value is read after the change.
entry looked_at [n] (k: i64) (xs: [n]i32) : [n]i32 =
  loop ys = xs for i < k do
    let zs = copy ys with [i] = 10
    in map2 (\z j -> if j == (i + 1) % n then z else z + i32.bool (j == 0) * ys[j]) zs (iota n)

-- ==
-- entry: nested
-- input { 2i64 3i64 [1, 2, 3] } output { [9, 18, 27] }
entry nested [n] (k: i64) (l: i64) (xs: [n]i32) : [n]i32 =
  loop ys = xs for _i < k do
    loop ys for j < l do copy ys with [j] = ys[j] * 3

-- ==
-- entry: swapped
-- input { 3i64 [1, 2, 3] [4, 5, 6] } output { [4, 101, 6] [100, 2, 102] }
entry swapped [n] (k: i64) (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  loop (as, bs) = (xs, ys) for i < k do (bs, copy as with [i] = 100 + i32.i64 i)

-- ==
-- entry: in_kernel
-- input { 2i64 [[1, 2, 3], [4, 5, 6]] } output { [[2, 4, 3], [8, 10, 6]] }
entry in_kernel [n] [m] (k: i64) (xss: [n][m]i32) : [n][m]i32 =
  map (\xs -> #[sequential] loop ys = xs for i < k do copy ys with [i] = ys[i] * 2) xss
