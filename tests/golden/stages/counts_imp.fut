-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=caches
-- Comparisons of bytes are counted in bytes, for at most 255 rounds.
def main (xs: [100000]u8) (t: [64]u8) : [64]i64 =
  map (\x -> loop c = 0 for i < 100000i64 do c + i64.bool (xs[i] < x)) t
