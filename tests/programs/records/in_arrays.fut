-- SPDX-License-Identifier: Apache-2.0
-- Arrays of records and records of arrays.

-- ==
-- entry: map_records
-- input { [1i32, 2i32] [3i32, 4i32] } output { [4i32, 6i32] [3i32, 8i32] }
entry map_records [n] (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  let rs = map2 (\x y -> {x, y}) xs ys
  in (map (\r -> r.x + r.y) rs, map (\{x, y} -> x * y) rs)

-- ==
-- entry: reduce_records
-- input { [3i32, -1i32, 7i32] } output { -1i32 7i32 9i32 }
-- input { [5i32] } output { 5i32 5i32 5i32 }
entry reduce_records [n] (xs: [n]i32) : (i32, i32, i32) =
  let join (a: {lo: i32, hi: i32, sum: i32}) (b: {lo: i32, hi: i32, sum: i32}) =
    {lo = i32.min a.lo b.lo, hi = i32.max a.hi b.hi, sum = a.sum + b.sum}
  let r = reduce join {lo = i32.highest, hi = i32.lowest, sum = 0} (map (\x -> {lo = x, hi = x, sum = x}) xs)
  in (r.lo, r.hi, r.sum)

-- ==
-- entry: record_of_arrays
-- input { [1i32, 2i32, 3i32] } output { [2i32, 3i32, 4i32] 3i64 }
entry record_of_arrays [n] (xs: [n]i32) : ([n]i32, i64) =
  let r = {data = xs, size = n}
  let r = r with data = map (+ 1) r.data
  in (r.data, r.size)

-- Projection sections.
-- ==
-- entry: sections
-- input { [1i32, 2i32] [3i32, 4i32] } output { [1i32, 2i32] [3i32, 4i32] }
entry sections [n] (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  let rs = map2 (\a b -> {a, b}) xs ys
  in (map (.a) rs, map (.b) rs)
