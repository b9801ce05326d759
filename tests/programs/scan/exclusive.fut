-- SPDX-License-Identifier: Apache-2.0
-- An exclusive scan made from an inclusive one.

-- ==
-- input { [3i32, 1i32, 4i32] } output { [0i32, 3i32, 4i32] }
-- input { [3i32] } output { [0i32] }
-- input { empty([0]i32) } output { empty([0]i32) }
entry main [n] (xs: [n]i32) : [n]i32 = map2 (-) (scan (+) 0 xs) xs
