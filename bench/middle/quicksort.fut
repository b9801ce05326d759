-- SPDX-License-Identifier: Apache-2.0
-- Irregular recursion: every level of it is a fixed number of launches.
def quicksort [n] (xs: [n]i32) : []i32 =
  if n <= 1 then xs
  else let p = xs[n / 2]
       let less = filter (< p) xs
       let equal = filter (== p) xs
       let greater = filter (> p) xs
       in quicksort less ++ equal ++ quicksort greater

entry main (xs: []i32) = quicksort xs
