-- SPDX-License-Identifier: Apache-2.0
-- Updates of fields inside of fields, and of elements inside of them.
-- ==
-- input { [1, 2, 3] } output { [1, 9, 3] 4 7 }
def main (xs: *[]i32) : ([]i32, i32, i32) =
  let r = {inner = {xs, n = 1i32}, m = 2i32}
  let r = r with inner.n = 4
  let r = r with inner.xs[1] = 9
  let r = r with m = r.inner.n + 3
  in (r.inner.xs, r.inner.n, r.m)
