-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- NEEDS   x86-64
-- RUN dump --after=forks --disable=caches
-- Large results of a scan go to memory past the caches, in whole lines, straight from what is read.
entry main [n] (xs: [n]i32) : [n]i32 = scan i32.max i32.lowest xs
