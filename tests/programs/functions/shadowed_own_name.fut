-- SPDX-License-Identifier: Apache-2.0
-- A function's own name may be taken by its parameters, whatever their kind, or by a module that
-- its body means.
-- ==
-- entry: sizes
-- input { [1i64, 2i64, 3i64] } output { 6i64 }
-- ==
-- entry: values
-- input { 5i64 } output { 6i64 }
-- ==
-- entry: modules
-- input { 7i64 } output { 9i64 }

def n [n] (xs: [n]i64) (ys: [n]i64) : i64 = n + xs[0] + ys[1]
entry sizes (xs: []i64) = n xs xs

def x (x: i64) = x + 1
entry values (a: i64) = x a

module m = { def two = 2i64 }
module inner = {
  def m (a: i64) = a + m.two
}
entry modules (a: i64) = inner.m a
