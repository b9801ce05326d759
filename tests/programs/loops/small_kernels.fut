-- SPDX-License-Identifier: Apache-2.0
-- Loops whose kernels are so small that one group of threads of a gpu runs all of the loop.
-- ==
-- entry: relaxed halved sorted rows_until
-- input { 1000i64 30i32 } auto output
-- input { 1i64 3i32 } auto output
-- input { 0i64 3i32 } auto output
-- input { 257i64 0i32 } auto output
-- input { 5000i64 4i32 } auto output
-- ==
-- entry: counted_down
-- input { 100i64 1000i32 } auto output
-- input { 100i64 0i32 } auto output
-- ==
-- entry: in_place
-- input { [3i32, 1i32, 2i32, 5i32] 10i32 } auto output
-- input { empty([0]i32) 4i32 } auto output
-- ==
-- entry: fails_in_step
-- input { 10i64 5i32 } auto output
-- input { 10i64 12i32 } error: Index \[10\] out of bounds for array of shape \[10\]

-- A scan, a reduction and a map in every step.
entry relaxed (n: i64) (steps: i32) : [n]f64 =
  loop xs = map f64.i64 (iota n) for _i < steps do
    let ys = scan (+) 0 xs
    let most = f64.maximum ys
    in map2 (\x y -> x / (1 + most) + y * 0.001) (rotate 1 xs) ys

-- The condition is a reduction.
entry halved (n: i64) (steps: i32) : ([n]f32, i32) =
  loop (xs, k) = (map f32.i64 (iota n), 0) while k < steps && f32.sum xs > 1 do
    (map (* 0.5) xs, k + 1)

-- A loop in a loop: odd-even sort of the first few places.
entry sorted (n: i64) (steps: i32) : [n]i32 =
  let xs = map (\i -> i32.i64 ((i * 7919 + 13) % 1009)) (iota n)
  in loop xs: [n]i32 = xs for i < steps do
       loop xs: [n]i32 = xs for j < 2 do
         tabulate n (\k -> let at = i32.i64 k + j + i
                           in if at % 2 == 0 then (if k + 1 < n then i32.min xs[k] xs[k + 1] else xs[k])
                              else if k > 0 then i32.max xs[k - 1] xs[k] else xs[k])

-- Two dimensions, and a histogram.
entry rows_until (n: i64) (steps: i32) : ([4][n]i32, [8]i64) =
  loop (xss, bins) = (tabulate_2d 4 n (\i j -> i32.i64 (i * j)), replicate 8 0i64) for i < steps do
    let sums = map i32.sum xss
    let next = map2 (\xs s -> map (\x -> (x + s + i) % 1000) xs) xss sums
    in (next, reduce_by_index bins (+) 0 (map (\s -> i64.i32 s % 8) sums) (rep 1))

-- Scalars alone are carried by kernels in between.
entry counted_down (n: i64) (steps: i32) : (i64, i32) =
  loop (total, k) = (0, steps) while k > 0 do
    (total + i64.sum (map (\i -> (i + total) % 7) (iota n)), k - 1)

entry in_place [n] (xs: *[n]i32) (steps: i32) : *[n]i32 =
  loop (xs: *[n]i32) = xs for i < steps do
    scatter xs (map (\j -> (j * 3 + i64.i32 i) % i64.max n 1) (iota n)) (map (\j -> i32.i64 j + i) (iota n))

entry fails_in_step (n: i64) (steps: i32) : [n]i32 =
  loop xs = map i32.i64 (iota n) for i < steps do
    let most = i32.maximum xs
    in map (\x -> x + xs[i64.i32 i] - most) xs

-- Rounds of matrices of four by four: sines, products, single elements that change.  A device would start a kernel for each of them.
-- ==
-- entry: chain
-- input { 22i64 } auto output
-- input { 1i64 } auto output
-- input { 0i64 } auto output
entry chain (n: i64) : ([n][4][4]f64, [n]f64, [4][4]f64) =
  let angles = map (\i -> 0.1 + f64.i64 i / 7) (iota n)
  let first : [4][4]f64 = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
  in loop (all, traces, m) = (replicate n first, replicate n 0, first) for i < n do
       let (c, s) = (f64.cos angles[i], f64.sin angles[i])
       let r : [4][4]f64 = [[c, -s, 0, 1], [s, c, 0, 2], [0, 0, 1, 0.5], [0, 0, 0, 1]]
       let next = map (\row -> map (\col -> f64.sum (map2 (*) row col)) (transpose r)) m
       let traces = traces with [i] = next[0, 0] + next[1, 1]
       in (all with [i] = next, traces with [i] = traces[i] + next[0, 3], next)
