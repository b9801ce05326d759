-- SPDX-License-Identifier: Apache-2.0
-- The new value of an element is computed before the array that it goes to.
-- ==
-- entry: main
-- input { [5, 6, 7] } output { [5, 6, 7] }
-- ==
-- entry: twice
-- input { [5, 6, 7] } output { [1, 12, 7] }

def main (xs: *[]i32) = (xs with [1] = xs[0]) with [1] = xs[1]

entry twice (xs: *[]i32) = ((xs with [0] = 1) with [1] = 3) with [1] = xs[0] + xs[2]
