-- SPDX-License-Identifier: Apache-2.0
-- Scripts call entry points; numbers without suffix take the type of the parameter.
-- ==
-- entry: scaled_sum
-- script input { (2, squares 4) } output { 28i64 }
-- script input { let n = 3 in (10, squares n) } output { 50i64 }
-- script input { let xs = squares 5 let k = xs[2] in (k, xs) } output { 120i64 }
-- script input { pair 3 } output { 15i64 }
-- script input { (-1, [1, 2, 3]) } output { -6i64 }
-- script input { (1, empty([0]i64)) } output { 0i64 }
-- script input { (seven, [1i64]) } output { 7i64 }
-- script input { both (2, 3) } output { 6i64 }
-- script input @ data/calls.script
-- output { 42i64 }

entry squares (n: i64) : [n]i64 = map (\i -> i * i) (iota n)
entry pair (n: i64) : (i64, [n]i64) = (n, map (\i -> i * i) (iota n))
entry both (k: i64) (n: i64) : (i64, [n]i64) = (k, iota n)
entry seven : i64 = 7
entry scaled_sum (k: i64) (xs: []i64) : i64 = k * i64.sum xs
