-- SPDX-License-Identifier: Apache-2.0
-- RUN run --max-memory=1M --backend=cpu
-- NEEDS   cpu
-- More than is allowed, in one piece.
def main : i64 =
  let n = 1 << 20
  let xs = map (\i -> i * i % 1000) (iota n)
  let ys = scan (+) 0 xs
  in ys[xs[17]]
