-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=caches
-- Short rows are computed as if they were one, and scanned several in a register.
entry main [n] (xs: [n][5]i32) : [n][5]i32 = map (map (2 *) >-> scan (+) 0) xs
