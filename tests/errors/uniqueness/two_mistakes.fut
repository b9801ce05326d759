-- SPDX-License-Identifier: Apache-2.0
def f (xs: *[]i32) (ys: []i32) =
  let a = xs with [0] = 1
  let b = ys with [0] = 2
  in (a[0], b[0], xs[0])
