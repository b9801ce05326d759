-- SPDX-License-Identifier: Apache-2.0
def f (xs: *[3]i32) =
  let ys = xs with [0] = 1
  in xs[0] + ys[0]
