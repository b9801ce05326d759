-- SPDX-License-Identifier: Apache-2.0
-- The loop would consume an array that lives outside of it.
def main (n: i64) (zs: [n]i32) =
  loop xs = replicate n 0i32 for i < 3 do
    let xs' = xs with [0] = 1
    in if xs'[0] > 2 then xs' else zs
