-- SPDX-License-Identifier: Apache-2.0
-- Indices and the new value of an element are computed before the array that it goes to.
-- ==
-- entry: main
-- input { [5, 6, 7] } output { [5, 6, 7] }
-- ==
-- entry: twice
-- input { [5, 6, 7] } output { [1, 12, 7] }

def main (xs: *[]i32) = (xs with [1] = xs[0]) with [1] = xs[1]

entry twice (xs: *[]i32) = ((xs with [0] = 1) with [1] = 3) with [1] = xs[0] + xs[2]

-- ==
-- entry: places parts
-- input { [5i64, 2i64, 6i64] } output { [5i64, 0i64, 7i64] }

entry places (xs: *[]i64) = (xs with [1] = 0) with [xs[1]] = 7

entry parts (xs: *[]i64) = (xs with [1] = 0) with [xs[1]:xs[1] + 1] = [7]
