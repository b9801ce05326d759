-- SPDX-License-Identifier: Apache-2.0
-- The second parameter is consumed, and would be the same array as the first.
def main (n: i64) =
  loop (ys, xs) = (replicate n 0i32, replicate n 1i32) for i < 3 do
    let zs = xs with [0] = ys[0]
    in (zs, zs)
