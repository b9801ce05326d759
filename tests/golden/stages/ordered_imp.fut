-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=caches
-- An operator that is not commutative: lanes are stretches, and what they read is transposed first.
entry main [n] (as: [n]i32) (bs: [n]i32) : (i32, i32) =
  reduce (\(a1, b1) (a2, b2) -> (a1 * a2, a2 * (b1 ^ 5) + b2 - 5 * a2)) (1, 0) (zip as bs)
