-- SPDX-License-Identifier: Apache-2.0
-- The first result would be consumed while it is also the second.
def main (n: i64) =
  loop (xs, ys) = (replicate n 0i32, replicate n 1i32) for i < 3 do
    let zs = xs with [0] = 2
    in (ys, ys)
