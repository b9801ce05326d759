-- SPDX-License-Identifier: Apache-2.0
-- Element i of a scan combines elements 0 to i.

-- ==
-- entry: sums
-- input { [1i32, 2i32, 3i32, 4i32] } output { [1i32, 3i32, 6i32, 10i32] [1i32, 2i32, 6i32, 24i32] }
-- input { [5i32] } output { [5i32] [5i32] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }
entry sums [n] (xs: [n]i32) : ([n]i32, [n]i32) = (scan (+) 0 xs, scan (*) 1 xs)

-- ==
-- entry: running_maximum
-- input { [1i32, 5i32, 2i32, 7i32, 3i32] } output { [1i32, 5i32, 5i32, 7i32, 7i32] }
entry running_maximum [n] (xs: [n]i32) : [n]i32 = scan i32.max i32.lowest xs

-- ==
-- entry: any_so_far
-- input { [false, true, false] } output { [false, true, true] }
entry any_so_far [n] (xs: [n]bool) : [n]bool = scan (||) false xs
