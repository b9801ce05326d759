-- SPDX-License-Identifier: Apache-2.0
-- a*x + y, the "hello world" of vector computing.
--
--   echo '2f32 [1f32, 2f32] [10f32, 20f32]' | ./skald-dev run examples/saxpy.fut
-- ==
-- input { 2f32 [1f32, 2f32, 3f32] [10f32, 20f32, 30f32] } output { [12f32, 24f32, 36f32] }
-- input { 0f32 [1f32] [-4f32] } output { [-4f32] }
-- input { 2f32 empty([0]f32) empty([0]f32) } output { empty([0]f32) }
-- compiled random input { 0.5f32 [100000]f32 [100000]f32 } auto output
def main [n] (a: f32) (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (\x y -> a * x + y) xs ys
