-- SPDX-License-Identifier: Apache-2.0
-- Quicksort as one writes it; a recursive function with parallel code inside.  (Futhark has none of these.)
def insertion_sort [n] (xs: *[n]i32) : *[n]i32 =
  loop xs for i < n do
    let x = xs[i]
    let (xs, j) =
      loop (xs, j) = (xs, i) while j > 0 && xs[j - 1] > x do
        let y = xs[j - 1] in (xs with [j] = y, j - 1)
    in xs with [j] = x

def quicksort [n] (xs: [n]i32) : *[]i32 =
  if n <= 24
  then insertion_sort (copy xs)
  else let (a, b, c) = (xs[0], xs[n / 2], xs[n - 1])
       let pivot = i32.max (i32.min a b) (i32.min (i32.max a b) c)
       let (less, equal, greater) = partition2 (< pivot) (== pivot) xs
       in quicksort less ++ equal ++ quicksort greater

def main [n] (xs: [n]i32) : [n]i32 = quicksort xs :> [n]i32
