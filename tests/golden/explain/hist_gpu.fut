-- SPDX-License-Identifier: Apache-2.0
-- RUN run --backend=interp --stage=imp --device=gpu --explain=hist
-- The class of the operator decides how devices update bins; the host decides by numbers which way is taken.
def larger (a: i32, i: i32) (b: i32, j: i32) = if a > b || (a == b && i < j) then (a, i) else (b, j)
def main : (i32, (i32, i64), i32, (i32, i32), i32) =
  let keys = map (% 5) (iota 2000)
  let counts = hist (+) 0 5 keys (replicate 2000 1)
  let pairs = hist (\(a: i32, b: i64) (c, d) -> (a + c, i64.max b d)) (0, 0) 5 keys (map (\i -> (1, i)) (iota 2000))
  let limited = hist (\a b -> i32.min 7 (a + b)) 0 5 (take 100 keys) (replicate 100 1)
  let best = hist larger (i32.lowest, i32.highest) 5 (map (% 7) (iota 300)) (map (\i -> (i32.i64 (i % 77), i32.i64 i)) (iota 300))
  let products = hist (*) 1 5 (map (% 6) (iota 200)) (map (\i -> i32.i64 (i % 3) + 1) (iota 200))
  in (counts[1], pairs[2], limited[3], best[4], products[0])
