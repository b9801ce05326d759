-- SPDX-License-Identifier: Apache-2.0
-- RUN run --backend=interp --stage=imp --device=gpu --explain=hist
-- The class of the operator decides how devices update bins; the host decides by numbers which way is taken.
def main : (i32, (i32, i64), i32) =
  let keys = map (% 5) (iota 2000)
  let counts = hist (+) 0 5 keys (replicate 2000 1)
  let pairs = hist (\(a: i32, b: i64) (c, d) -> (a + c, i64.max b d)) (0, 0) 5 keys (map (\i -> (1, i)) (iota 2000))
  let limited = hist (\a b -> i32.min 7 (a + b)) 0 5 (take 100 keys) (replicate 100 1)
  in (counts[1], pairs[2], limited[3])
