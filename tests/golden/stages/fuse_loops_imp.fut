-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=caches
-- A map and two recurrences along a row become one loop: `as` and `bs` are values of the iteration, of the one before and
-- of the first, and have no memory. What goes through the row backwards stays a loop of its own.
def main [n] [m] (xss: [n][m]f32) : [n][m]f32 =
  map (\xs ->
         let as = #[sequential] map (\x -> f32.exp (x / 3) + 1) xs
         let bs =
           #[sequential] scan (\a b -> a / (b + 2)) 0
                              (#[sequential] tabulate m (\i -> if i > 0 then as[i] * as[i - 1] else 1))
         let cs = #[sequential] scan (\a b -> a * b + as[0]) 1 bs
         in #[sequential] map2 (+) cs (reverse cs))
      xss
