-- SPDX-License-Identifier: Apache-2.0
def twice (xs: *[4]i32) : [4]i32 =
  let ys = xs with [0] = 1
  let zs = xs with [1] = 2
  in map2 (+) ys zs
