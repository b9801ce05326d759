-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN run --backend=cpu --explain=hist --disable=caches --num-threads 1
-- Which ways a histogram has is said when it is compiled, which one it took when it runs.
def main : (i32, f32, i64, i32) =
  let keys = map (% 5) (iota 100)
  let many = map (\i -> i * 7919 % 3000000) (iota 40000)
  let sums = hist (+) 0 5 keys (map f32.i64 keys)
  let largest = hist i64.max i64.lowest 5 keys (iota 100)
  let limited = hist (\a b -> i32.min 7 (a + b)) 0 3000000 many (replicate 40000 1)
  in (opaque (i32.maximum limited), sums[1], largest[2], limited[7919])
