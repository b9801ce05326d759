-- SPDX-License-Identifier: Apache-2.0
-- RUN run --max-time=0.2
-- A tight loop without an end, in a function that the entry point calls.
def count (x: i64) : i64 =
  loop y = x while y != -1 do (y + 1) & 0xff

def main : i64 = count 1 + 1
