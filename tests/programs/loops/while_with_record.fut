-- SPDX-License-Identifier: Apache-2.0
-- A loop over a record, with a condition on it, and the value of the pattern as the initial value.
-- ==
-- input { 27i64 } output { 111i64 9232i64 }
def main (n: i64) : (i64, i64) =
  let steps = 0i64
  let peak = n
  let (_, s, p) =
    loop (n, steps, peak) while n != 1 do
      let n' = if n % 2 == 0 then n / 2 else 3 * n + 1
      in (n', steps + 1, i64.max peak n')
  in (s, p)
