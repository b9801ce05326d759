-- SPDX-License-Identifier: Apache-2.0
-- all, any, and, or; on empty arrays as well.

-- ==
-- input { [true, true] } output { true true }
-- input { [true, false] } output { false true }
-- input { [false, false] } output { false false }
-- input { empty([0]bool) } output { true false }
entry main [n] (xs: [n]bool) : (bool, bool) = (and xs, or xs)

-- ==
-- entry: predicates
-- input { [2i32, 4i32, 6i32] } output { true false }
-- input { [2i32, 3i32] } output { false true }
-- input { empty([0]i32) } output { true false }
entry predicates [n] (xs: [n]i32) : (bool, bool) = (all (\x -> x % 2 == 0) xs, any (\x -> x % 2 != 0) xs)
