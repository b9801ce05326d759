-- SPDX-License-Identifier: Apache-2.0
-- Loops of small kernels: what a step costs besides the work in it.

-- The number of the step is an argument of the kernel.
entry counted (n: i64) (steps: i32) : []f32 =
  loop xs = map f32.i64 (iota n) for i < steps do map (\x -> x * 0.5 + f32.i32 i) xs

-- Two arrays in turns, and nothing else changes.
entry swapped (n: i64) (steps: i32) : []f32 =
  loop xs = map f32.i64 (iota n) for _i < steps do
    tabulate n (\j -> 0.25 * (xs[(j + n - 1) % n] + xs[(j + 1) % n]) + 0.5 * xs[j])

-- Three kernels in each step.
entry three (n: i64) (steps: i32) : []f32 =
  loop xs = map f32.i64 (iota n) for _i < steps do
    let ys = scan (+) 0 xs
    let most = f32.maximum ys
    in map2 (\x y -> x / (1 + most) + y * 0.001) (rotate 1 xs) ys

-- The host must know a value after each step.
entry until (n: i64) (steps: i32) : ([]f32, i32) =
  loop (xs, k) = (map f32.i64 (iota n), 0) while k < steps && f32.maximum xs > -1 do
    (map (\x -> x * 0.999) xs, k + 1)
