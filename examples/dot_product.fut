-- SPDX-License-Identifier: Apache-2.0
-- The dot product of two vectors: multiply element by element, then add everything up.
--
--   echo '[1, 2, 3] [4, 5, 6]' | ./skald-dev run examples/dot_product.fut
-- ==
-- input { [1i32, 2i32, 3i32] [4i32, 5i32, 6i32] } output { 32i32 }
-- input { [-1i32] [7i32] } output { -7i32 }
-- input { empty([0]i32) empty([0]i32) } output { 0i32 }
-- input { [1i32] [1i32, 2i32] } error: invalid size
def main [n] (xs: [n]i32) (ys: [n]i32) : i32 = reduce (+) 0 (map2 (*) xs ys)

-- The same in single precision, on arrays large enough to keep all cores busy.
-- ==
-- entry: f32_dot
-- input { [0.5f32, 2f32] [4f32, 0.25f32] } output { 2.5f32 }
-- compiled random input { [100000]f32 [100000]f32 } auto output
entry f32_dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)
