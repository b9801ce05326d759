-- SPDX-License-Identifier: Apache-2.0
-- Rows of different lengths: kernels over segments.

def countdown (x: i64) : []i64 = map (\i -> x * 100 + i) (iota x)

-- ==
-- entry: rows
-- input { [2i64, 0i64, 3i64, 0i64, 1i64] }
-- output { [2i64, 0i64, 3i64, 0i64, 1i64] [true, false, true, false, false, true] [0i64, 2i64, 2i64, 5i64, 5i64]
--          [200i64, 201i64, 300i64, 301i64, 302i64, 100i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]bool) empty([0]i64) empty([0]i64) }
-- input { [0i64, 0i64] } output { [0i64, 0i64] empty([0]bool) [0i64, 0i64] empty([0]i64) }
-- input { [1i64, -1i64] } error: invalid
entry rows (xs: []i64) = flatmap' countdown xs

def shifted (i: i64, k: i64) : []i64 = map (+ i) (iota k)

-- Many short rows, one long one, and empty ones at both ends.
-- ==
-- entry: uneven
-- input { 0i64 } output { true true }
-- input { 1i64 } output { true true }
-- input { 1000i64 } output { true true }
-- input { 100000i64 } output { true true }
entry uneven (n: i64) : (bool, bool) =
  let size i = if i == n / 2 then n * 2 else if i % 3 == 0 || i < 10 || i + 10 > n then 0 else 1
  let (ls, fs, os, d) = flatmap' shifted (zip (iota n) (map size (iota n)))
  in (i64.sum d == i64.sum (map2 (\i l -> i * l + l * (l - 1) / 2) (iota n) ls),
      and (map2 (\l o -> l == 0 || fs[o]) ls os) && length d == i64.sum ls
      && i64.sum (map i64.bool fs) == i64.sum (map (\l -> i64.bool (l > 0)) ls))

-- Values that are not elements, and replicated rows.
def repeated (k: i64, x: i32) : ?[m].([m]i32, i32) = (replicate k x, x * 2)
-- ==
-- entry: extra
-- input { [2i64, 0i64, 1i64] [5i32, 6i32, 7i32] } output { [5i32, 5i32, 7i32] [10i32, 12i32, 14i32] }
entry extra [n] (ks: [n]i64) (xs: [n]i32) : ([]i32, [n]i32) =
  let (_, _, _, d, e) = flatmap repeated (zip ks xs)
  in (d, e)

-- A product of a sparse matrix and a vector: rows of any length.
-- ==
-- entry: sparse
-- input { [0i64, 2i64, 2i64] [2i64, 0i64, 3i64] [0i64, 2i64, 0i64, 1i64, 2i64] [1i32, 2i32, 3i32, 4i32, 5i32] [10i32, 20i32, 30i32] }
-- output { [71i32, 1i32, 261i32] }
-- input { [0i64] [2i64] [0i64, 7i64] [1i32, 2i32] [10i32] } error: out of bounds
-- input { empty([0]i64) empty([0]i64) [0i64] [1i32] [10i32] } output { empty([0]i32) }
entry sparse [n] [m] [k] (starts: [n]i64) (lengths: [n]i64) (columns: [m]i64) (values: [m]i32) (xs: [k]i32) : [n]i32 =
  map2 (\o l -> 1 + reduce (+) 0 (map (\j -> values[o + j] * xs[columns[o + j]]) (iota l))) starts lengths

-- Slices of one array.
-- ==
-- entry: slices
-- input { [0i64, 1i64, 3i64, 3i64, 5i64] [1i32, 2i32, 3i32, 4i32, 5i32] } output { [1i32, 3i32, -2147483648i32, 5i32] }
-- input { [0i64, 6i64] [1i32, 2i32, 3i32, 4i32, 5i32] } error: out of bounds
entry slices [n] [m] (bounds: [n]i64) (xs: [m]i32) : []i32 =
  map2 (\a b -> reduce i32.max i32.lowest xs[a:b]) (init bounds) (tail bounds)
