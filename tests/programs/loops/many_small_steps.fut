-- SPDX-License-Identifier: Apache-2.0
-- Loops of many small kernels, which devices may be given many at a time.

-- The number of the step is an argument.
-- ==
-- entry: counted
-- input { 5i64 1000i32 } output { [729977i64, 737307i64, 744637i64, 751967i64, 759297i64] }
-- input { 5i64 0i32 } output { [0i64, 1i64, 2i64, 3i64, 4i64] }
entry counted (n: i64) (steps: i32) : []i64 =
  loop xs = iota n for i < steps do map (\x -> (x * 31 + i64.i32 i) % 1000003) xs

-- Two arrays in turns.
-- ==
-- entry: swapped
-- input { 7i64 1003i32 } output { [58274i64, 35384i64, 739i64, 43744i64, 11688i64, 26813i64, 19493i64] }
entry swapped (n: i64) (steps: i32) : []i64 =
  loop xs = iota n for _i < steps do tabulate n (\j -> (xs[(j + n - 1) % n] * 3 + xs[(j + 1) % n]) % 65521)

-- Several kernels in each step, one of which is a scan.
-- ==
-- entry: three
-- input { 6i64 300i32 } output { [347i64, 166i64, 228i64, 1064i64, 554i64, 652i64] }
entry three (n: i64) (steps: i32) : []i64 =
  loop xs = iota n for i < steps do
    let ys = scan (+) 0 xs
    let most = i64.maximum ys
    in map2 (\x y -> (x + y * 7 + most) % (1000 + i64.i32 i)) (rotate 1 xs) ys

-- The host reads a value after some steps.
-- ==
-- entry: some_reads
-- input { 6i64 10i32 } output { [3452i64, 1755i64, 58i64, 6280i64, 4583i64, 2886i64] 10i32 }
entry some_reads (n: i64) (rounds: i32) : ([]i64, i32) =
  loop (xs, k) = (iota n, 0) while k < rounds && i64.sum xs != -1 do
    (loop xs for i < 100i32 do map (\x -> (x * 5 + i64.i32 (i + k)) % 7919) xs, k + 1)

-- A step far inside fails; nothing after it may be noticed.
-- ==
-- entry: fails
-- input { 5i64 300i32 300i32 } output { [300i64, 301i64, 302i64, 303i64, 304i64] }
-- input { 5i64 300i32 3i32 } error: Index \[-1\] out of bounds for array of shape \[5\]
-- input { 5i64 300i32 100i32 } error: Index \[-1\] out of bounds for array of shape \[5\]
-- input { 5i64 300i32 299i32 } error: Index \[-1\] out of bounds for array of shape \[5\]
entry fails (n: i64) (steps: i32) (bad: i32) : []i64 =
  loop xs = iota n for i < steps do
    tabulate n (\j -> xs[if i == bad then -1 else if i > bad then xs[j] else j] + 1)
