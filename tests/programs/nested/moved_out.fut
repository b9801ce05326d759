-- SPDX-License-Identifier: Apache-2.0
-- SOACs that do not depend on the iteration around them and read elements: computed once, and not at all wrong where
-- there is no iteration, no row, or an element out of bounds that nobody asks for.
-- ==
-- entry: before
-- input { [1f32, 2f32, 3f32] [4f32, 5f32, 6f32] } output { [[1f32, 9f32, 19f32], [2f32, 18f32, 38f32], [3f32, 27f32, 57f32]] }
-- input { empty([0]f32) [4f32, 5f32] } output { empty([0][2]f32) }
-- input { empty([0]f32) empty([0]f32) } output { empty([0][0]f32) }

entry before [n] [m] (xs: [n]f32) (ys: [m]f32): [n][m]f32 =
  map (\x ->
         #[unsafe]
         let y0 = ys[0]
         let sums = scan (+) 0 (tabulate m (\i -> if 0 < i then ys[i] + ys[i - 1] - y0 / 4 else y0 / 4))
         in map (\s -> x * s) sums)
      xs

-- ==
-- entry: far
-- input { [1i32, 2i32] [4i32, 5i32, 6i32] 1i64 } output { [30i32, 60i32] }
-- input { empty([0]i32) [4i32] 7i64 } output { empty([0]i32) }
-- input { [1i32] [4i32] 7i64 } error: out of bounds

entry far [n] [m] (xs: [n]i32) (ys: [m]i32) (k: i64): [n]i32 =
  map (\x ->
         let far = ys[k]
         in x * reduce i32.max 0 (map (\y -> y * far) ys))
      xs

-- ==
-- entry: rows
-- input { [1i32, 2i32, 3i32] 2i64 5i32 } output { [10i32, 20i32, 30i32] }
-- input { empty([0]i32) -2i64 5i32 } error: invalid
-- input { empty([0]i32) 2i64 5i32 } output { empty([0]i32) }

entry rows [n] (xs: [n]i32) (m: i64) (k: i32): [n]i32 =
  map2 (\x row -> x * reduce (+) 0 row) xs (replicate n (replicate m k))
