-- SPDX-License-Identifier: Apache-2.0
-- The text of errors with values and the places of the calls around them, on every back end.
-- ==
-- entry: called
-- input { [1, 2, 3, 0] }
-- error: Index \[10\] out of bounds for array of shape \[4\]\.
-- ==
-- entry: called
-- input { [1, 2, 3, 0] }
-- error: #0 .*traces.fut:36.*#1 .*traces.fut:38
-- ==
-- entry: in_scan
-- input { [1, 2, 3, 0] }
-- error: Index \[4\] out of bounds for array of shape \[4\]\..*#0 .*traces.fut:40
-- ==
-- entry: in_filter
-- input { [1, 2, 3, 0] }
-- error: Index \[4\] out of bounds.*#0 .*traces.fut:42
-- ==
-- entry: in_operator
-- input { [1, 2, 3, 0] }
-- error: Assertion is false: \(b != 3\).*#0 .*traces.fut:44
-- ==
-- entry: lowest_iteration
-- input { [1, 7, 9, 0] }
-- error: Index \[7\] out of bounds
-- ==
-- entry: deep
-- input { [1, 2, 3, 0] }
-- error: Recursion too deep: the stack is used up
-- ==
-- entry: not_so_deep
-- input { [5000] } output { 5000 }

#[noinline]
def pick (xs: []i32) (i: i64) : i32 = xs[i]

entry called (xs: []i32) = pick xs 10

entry in_scan (xs: []i32) = scan (\a b -> a + xs[i64.i32 b * 2]) 0 xs

entry in_filter (xs: []i32) = filter (\x -> xs[i64.i32 x + 2] > 0) xs

entry in_operator (xs: []i32) = reduce (\a b -> assert (b != 3) (a + b)) 0 xs

-- Of several failures the one of the lowest iteration is reported.
entry lowest_iteration (xs: []i32) = map (\x -> xs[i64.i32 x]) xs

#[noinline]
def count (n: i32) (to: i32) : i32 = if n == to then 0 else 1 + count (n + 1) to

entry deep (xs: []i32) = count xs[0] (-1)

entry not_so_deep (xs: []i32) = count 0 xs[0]
