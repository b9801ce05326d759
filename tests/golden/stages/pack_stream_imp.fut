-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- NEEDS   x86-64
-- RUN dump --after=forks --disable=caches
-- A large result: members are counted, then packed past the caches straight from the array.
entry main [n] (xs: [n]f64) : []f64 = filter (> 0) xs
