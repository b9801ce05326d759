-- SPDX-License-Identifier: Apache-2.0
-- RUN run --max-memory=64M --max-time=60 --max-stack=4M
-- A program that reaches no limit gives its result.
def depth (n: i64) : i64 = if n == 0 then 0 else 1 + depth (n - 1) * 3 % 7

def main : (i64, i64) =
  let xs = loop xs = iota 1000 for i < 100 do map (+ i) xs
  in (depth 100, i64.sum xs)
