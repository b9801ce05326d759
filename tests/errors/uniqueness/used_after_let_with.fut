-- SPDX-License-Identifier: Apache-2.0
def f (xs: *[]i32) : i32 =
  let ys = xs with [0] = 1
  in ys[0] + xs[0]
