-- SPDX-License-Identifier: Apache-2.0
-- Names, comments and white space; trailing commas everywhere.

-- | A documented definition.
def x' = 1i32
def x'' = x' + 1
def _ignored (y: i32) = y
def Capital_1 = 40i32

type triple = (i32, i32, i32,)

def sum3 ((a, b, c,): triple) = a + b + c -- a comment at the end

-- ==
-- entry: f
-- input { } output { 43 6 [1, 2] 3 }

entry f : (i32, i32, []i32, i32,) =
  ( x' + x'' + Capital_1
  , sum3 (1, 2, 3,)
  , [1,
       2,]
  , {a = 1, b = 2,}.a + {a = 1, b = 2}.b
  ,)

-- `t.0.1` is two projections, `a[0]` an index, `f [0]` an application.
-- ==
-- entry: tight
-- input { [5, 6] } output { 7 5 1i64 }

entry tight (a: []i32) =
  let t = ((1, 7), 2)
  in (t.0.1, a[0], length [0i32])
