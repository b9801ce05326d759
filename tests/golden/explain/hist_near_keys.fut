-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN run --backend=cpu --explain=hist --disable=caches --num-threads 1
-- With one thread, keys in order update bins in place; others are sorted.  Where sorting would pay for even keys, keys are looked at.
def main : (i32, i32) =
  let n = 4400000
  let ordered = hist (+) 0i32 9000000 (map (\i -> i * 2) (iota n)) (replicate n 1)
  let spread = hist (+) 0i32 (opaque 9000000) (map (\i -> i * 7919 % 9000000) (iota n)) (replicate n 1)
  in (ordered[4], spread[7919])
