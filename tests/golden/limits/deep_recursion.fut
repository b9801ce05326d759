-- SPDX-License-Identifier: Apache-2.0
-- RUN run --max-stack=64K --backend=cpu
-- NEEDS   cpu
-- Deeper than the stack that is allowed.
def depth (n: i64) : i64 = if n == 0 then 0 else 1 + depth (n - 1) * 3 % 7

def main : i64 = depth 100000
