-- SPDX-License-Identifier: Apache-2.0
-- Products of f64 matrices, which have matrix instructions on `cuda`: tiles that are whole, and lines and k that end within one.  Entries are small whole numbers, so that every order of the sums is exact.
-- ==
-- compiled input { 1536i64 1536i64 64i64 } output { 0i64 }
-- compiled input { 1450i64 1501i64 77i64 } output { 0i64 }
-- compiled input { 3000i64 700i64 9i64 } output { 0i64 }
-- compiled input { 130i64 131i64 300i64 } output { 0i64 }
-- input { 20i64 21i64 33i64 } output { 0i64 }
def main (n: i64) (m: i64) (q: i64) : i64 =
  let entry_of (i: i64) (k: i64) = f64.i64 ((i * 7 + k * 13) % 11 - 5)
  let a = tabulate_2d n q entry_of
  let b = tabulate_2d q m (\k j -> entry_of (k + 3) (j * 5))
  let product = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
  -- The same in whole numbers.
  let entry_i64 (i: i64) (k: i64) = (i * 7 + k * 13) % 11 - 5
  let exact = tabulate_2d n m (\i j -> loop s = 0 for k < q do s + entry_i64 i k * entry_i64 (k + 3) (j * 5))
  in map2 (map2 (\x y -> i64.bool (x != f64.i64 y))) product exact |> flatten |> i64.sum
