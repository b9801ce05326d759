-- SPDX-License-Identifier: Apache-2.0
-- The dot product of two vectors: multiply element by element, then add everything up.
--
--   echo '[1f32, 2f32, 3f32] [4f32, 5f32, 6f32]' | ./skald-dev run examples/dot_product.fut
-- ==
-- input { [1f32, 2f32, 3f32] [4f32, 5f32, 6f32] } output { 32f32 }
-- input { [0.5f32, 2f32] [4f32, 0.25f32] } output { 2.5f32 }
-- input { empty([0]f32) empty([0]f32) } output { 0f32 }
-- input { [1f32] [1f32, 2f32] } error: invalid size
-- compiled random input { [100000]f32 [100000]f32 } auto output
def main [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)

-- The same on whole numbers, where overflow wraps around.
-- ==
-- entry: i32_dot
-- input { [1i32, 2i32, 3i32] [4i32, 5i32, 6i32] } output { 32i32 }
-- input { [65536i32] [65536i32] } output { 0i32 }
entry i32_dot [n] (xs: [n]i32) (ys: [n]i32) : i32 = reduce (+) 0 (map2 (*) xs ys)
