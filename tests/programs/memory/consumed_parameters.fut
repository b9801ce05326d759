-- SPDX-License-Identifier: Apache-2.0
-- Parameters that an entry point consumes hold its results.
-- ==
-- entry: over
-- input { [1f32, 2f32, 3f32] [4f32, 5f32, 6f32] }
-- output { [6f32, 9f32, 12f32] }
-- input { empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) }
-- ==
-- entry: reversed
-- input { [1i32, 2i32, 3i32, 4i32] }
-- output { [5i32, 5i32, 5i32, 5i32] [4i32, 3i32, 2i32, 1i32] }
-- ==
-- entry: later
-- input { [3i64, 1i64, 2i64] }
-- output { 6i64 [2i64, 4i64, 8i64] }
-- ==
-- entry: both
-- input { [1i32, 2i32] [10i32, 20i32] }
-- output { [11i32, 22i32] [9i32, 18i32] }
-- ==
-- entry: called
-- input { [1f64, 2f64, 4f64] }
-- output { [3f64, 4f64, 6f64] [1f64, 2f64, 4f64] }

-- Point by point, where the old element was.
entry over [n] (a: *[n]f32) (b: [n]f32) : *[n]f32 = map2 (\x y -> 2 * x + y) a b

-- Points read what others write: not there.
entry reversed [n] (a: *[n]i32) : (*[n]i32, *[n]i32) =
  (map2 (+) a (reverse a), reverse a)

-- When nobody needs it any more.
entry later [n] (a: *[n]i64) : (i64, [n]i64) =
  let total = i64.sum a
  in (total, scan (*) 1 (replicate n (opaque 2)))

-- Of two results one can be there.
entry both [n] (a: *[n]i32) (b: *[n]i32) : (*[n]i32, *[n]i32) =
  (map2 (+) a b, map2 (-) b a)

-- A function that consumes what its caller still needs is given a copy.
#[noinline]
def plus [n] (k: f64) (a: *[n]f64) : *[n]f64 = map (+ k) a

entry called [n] (a: [n]f64) : ([n]f64, [n]f64) = (plus (opaque 2) (copy a), a)
