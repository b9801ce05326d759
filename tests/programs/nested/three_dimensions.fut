-- SPDX-License-Identifier: Apache-2.0
-- Arrays of rank three.

-- ==
-- entry: index
-- input { [[[1i32, 2i32], [3i32, 4i32]], [[5i32, 6i32], [7i32, 8i32]]] } output { 6i32 [7i32, 8i32] [[1i32, 2i32], [3i32, 4i32]] }
entry index (a: [2][2][2]i32) : (i32, [2]i32, [2][2]i32) = (a[1, 0, 1], a[1, 1], a[0])

-- ==
-- entry: sums
-- input { [[[1i32, 2i32], [3i32, 4i32]], [[5i32, 6i32], [7i32, 8i32]]] } output { [[3i32, 7i32], [11i32, 15i32]] 36i32 }
entry sums [a] [b] [c] (x: [a][b][c]i32) : ([a][b]i32, i32) =
  (map (map (reduce (+) 0)) x, reduce (+) 0 (flatten_3d x))

-- ==
-- entry: transposed_inside
-- input { [[[1i32, 2i32], [3i32, 4i32]], [[5i32, 6i32], [7i32, 8i32]]] } output { [[[1i32, 3i32], [2i32, 4i32]], [[5i32, 7i32], [6i32, 8i32]]] }
entry transposed_inside [a] [b] [c] (x: [a][b][c]i32) : [a][c][b]i32 = map transpose x
