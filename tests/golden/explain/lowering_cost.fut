-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --explain=lowering --disable=stream --disable=caches
-- What a point costs is counted by the table of operator costs: a division is six, a sine twenty.
def main (xs: []f32) : []f32 = map (\x -> f32.sin x / (x + 3)) xs
