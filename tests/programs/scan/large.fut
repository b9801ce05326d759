-- SPDX-License-Identifier: Apache-2.0
-- Enough elements for several blocks; the last elements and a checksum are known.

-- ==
-- compiled input { 1000000i64 } output { 499999500000i64 true }
-- compiled input { 1000001i64 } output { 500000500000i64 true }
-- input { 2i64 } output { 1i64 true }
entry main (n: i64) : (i64, bool) =
  let sums = scan (+) 0 (iota n)
  in (last sums, and (map2 (\i s -> s == i * (i + 1) / 2) (iota n) sums))
