-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=caches
-- Calls in a thread that may run side by side, with a check and a copied slice between them.
def total [n] (xs: [n]i32) : i32 =
  if n == 1
  then xs[0]
  else let a = total xs[:n / 2]
       let b = total xs[n / 2:]
       in (a / 2) ^ b

entry main (xs: []i32) = total xs
