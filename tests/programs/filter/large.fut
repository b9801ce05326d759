-- SPDX-License-Identifier: Apache-2.0
-- Sizes with several blocks, and all or nothing kept.

-- ==
-- compiled input { 100003i64 3i64 } output { 33335i64 1666783335i64 100002i64 }
-- compiled input { 100003i64 1i64 } output { 100003i64 5000250003i64 100002i64 }
entry main (n: i64) (k: i64) : (i64, i64, i64) =
  let kept = filter (\i -> i % k == 0) (iota n)
  in (length kept, i64.sum kept, last kept)
