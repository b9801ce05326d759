-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=first-iteration --disable=stream --disable=caches
-- The loop over the columns after k asks in lanes whether it is k: its first iteration is not taken out.
def main [n] [m] (pivot: [m]f32) (a: [n][m]f32) : [n][m]f32 =
  loop a = copy a for k < i64.min n m do
    map2 (\i r ->
            if i <= k then r
            else let f = r[k]
                 in map3 (\j x p -> if j < k then x else if j == k then f else x - f * p)
                         (iota m) r pivot)
         (iota n) a
